/** Serves the discovery routes for CDP clients: /json/version and the like (compatibility.mdx#discovery). */
import { protocolDescriptor } from '../../../browser/cdp/protocol.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { protocolResponse, versionResponse } from '../../../base/schema/response/manage.ts';
import { target as targetAnswer, targets } from '../../../base/schema/response/sessions.ts';
import { directRoute } from '../pipeline/route.ts';
import { jsonResponse } from '../http/json-response.ts';
import { describePage, devtoolsFrontendUrl, pagesOf, type TargetInfo } from '../sessions/pages.ts';
import { toSocketUrl } from '../http/public-url.ts';

export const jsonVersion = directRoute('manage', 'GET /json/version', {
  summary: 'Browser version',
  description: 'The versions of the browser and the WebSocket URL that CDP clients connect to.',
  answers: [json(versionResponse)],
  errors: ['browser-missing', 'launch-failed'],
  handle: async ({ base, services }) => {
    // oxlint-disable-next-line browserd/raced-await -- the endpoint races it
    const version = await services.browsers.pool.version();
    return jsonResponse({
      Browser: version.product,
      'Protocol-Version': version.protocolVersion,
      'User-Agent': version.userAgent,
      'V8-Version': version.jsVersion,
      'WebKit-Version': `537.36 (${version.revision})`,
      'Debugger-Version': version.revision.replace(/^@/, ''),
      webSocketDebuggerUrl: toSocketUrl(base),
    });
  },
});

export const jsonProtocol = directRoute('manage', 'GET /json/protocol', {
  summary: 'Protocol description',
  description: 'The Chrome DevTools Protocol: version and domains.',
  answers: [json(protocolResponse)],
  handle: async () => jsonResponse(await protocolDescriptor()),
});

export const jsonList = directRoute('manage', 'GET /json/list', {
  summary: 'Open pages',
  description: 'Pages of browsers that the client owns and may attach to. Pages of REST requests are not included.',
  answers: [json(targets)],
  handle: async ({ account, base, services }) => {
    const lists = await Promise.all(
      services.sessions.registry
        .list()
        .filter(({ facts }) => account.mayUse(facts.owner))
        .map(async ({ attachable }) =>
          attachable ? (await pagesOf(attachable)).map((page) => describeTarget(attachable.facts.id, page, base)) : [],
        ),
    );
    return jsonResponse(lists.flat());
  },
});

/** A target in the format of Chromium's own list. */
function describeTarget(sessionId: string, page: TargetInfo, base: string) {
  const { browserWSEndpoint: _, ...target } = describePage(sessionId, page, base);
  return target;
}

const idLetters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export const jsonNew = directRoute('manage', 'PUT /json/new', {
  summary: 'Reserve a new page',
  description:
    'Returns the WebSocket URL of a new page. The browser starts when that socket is opened and closes with it.',
  answers: [json(targetAnswer)],
  handle: ({ base }) => {
    const letters = crypto.getRandomValues(new Uint8Array(27));
    const id = `BLESS${Array.from(letters, (byte) => idLetters[byte % idLetters.length]).join('')}`;
    const socketBase = toSocketUrl(base);
    const path = `/devtools/page/${id}`;
    return jsonResponse({
      description: '',
      devtoolsFrontendUrl: devtoolsFrontendUrl(socketBase, path),
      id,
      title: 'New Tab',
      type: 'page' as const,
      url: 'about:blank',
      webSocketDebuggerUrl: `${socketBase}${path}`,
    });
  },
});
