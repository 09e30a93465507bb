/**
 * Serves the page that plays a recording, `/player/?i=<id>`, to people who have its link, and the frame document in
 * which a recorded page is rebuilt.
 */
import { ui, htmlPage, pageHeaders } from '../pages/html-page.ts';
import { basePath } from '../http/base-path.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { requireEnded } from '../recordings/recordings.ts';
import { sharedRecording } from './shared-recording.ts';

/**
 * The document itself has the server's origin, and only creates a frame: a `data:` document with an opaque origin. The
 * frame inherits this policy and its sandbox, so nothing in it has a token, a cookie, or a connection, no matter what
 * happens to the sandbox that the library puts around the rebuilt page. `sandbox` without `allow-same-origin` would
 * have the same effect, but would keep the library from accessing the frame that it builds in.
 */
const replayPolicy = (frameAncestors: string) =>
  [
    'sandbox allow-scripts allow-same-origin',
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline' blob:",
    'img-src data: blob:',
    'font-src data: blob:',
    'frame-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    // frame-ancestors applies to all ancestors, so it must also list the sites that may frame the player.
    `frame-ancestors ${frameAncestors === "'none'" ? "'self'" : `'self' ${frameAncestors}`}`,
  ].join('; ');

const replayFrame = uiRoute('GET /player/:id/replay', {
  subject: 'link',
  auth: 'open',
  async handle(call) {
    await sharedRecording(call, call.parameter('id'));
    const { config } = call.services;
    const html = await ui.page('replay', { base: basePath(config) });
    return new Response(html, {
      headers: { ...pageHeaders(replayPolicy(config.LIVE_FRAME_ANCESTORS)), 'X-DNS-Prefetch-Control': 'off' },
    });
  },
});

export const playerPages = [
  ...['/player', '/player/index.html'].map((path) =>
    uiRoute(`GET ${path}`, {
      subject: 'link',
      auth: 'open',
      handle: showPlayer,
    }),
  ),
  replayFrame,
];

function showPlayer(call: Call): Promise<Response> {
  return htmlPage(
    call,
    async (common) => {
      const { link, meta } = await sharedRecording(call, call.url.searchParams.get('i') ?? '');
      requireEnded(meta);
      return ui.page('player', { ...common, data: `/player/${link.id}` });
    },
    (status) => (status === 404 ? 'This link has expired' : status === 409 ? 'Still recording' : 'Try again later'),
    { 'img-src': "'self' data:", 'media-src': "'self'", 'frame-src': "'self'" },
  );
}
