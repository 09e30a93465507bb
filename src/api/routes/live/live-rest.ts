/** Creates, describes, and ends live views over HTTP, for clients with the token (compatibility.mdx#live-view). */
import * as v from 'valibot';
import { ServiceError } from '../../../base/errors.ts';
import { liveViewLimits } from '../../../base/limits.ts';
import type { LiveView } from '../../../sessions/live/live-view.ts';
import { settingsOf } from '../../../sessions/live/settings.ts';
import { maxTimerMs, orAborted } from '../../../base/runtime/deadline.ts';
import { json, noContent } from '../../../base/schema/response/responses.ts';
import { liveLink, liveStatus } from '../../../base/schema/response/live.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { field } from '../../../base/schema/request/primitives.ts';
import { tokenQuery } from '../../../base/schema/request/query.ts';
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { readOptionalBody } from '../http/body.ts';
import { jsonResponse } from '../http/json-response.ts';
import { liveUrl } from '../http/public-url.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';
import { pagesOf } from '../sessions/pages.ts';
import { authorizedSession } from '../sessions/session-auth.ts';
import { now } from '../../../base/runtime/machine.ts';

/** Longest lifetime of a link created over HTTP, in milliseconds. */
const longestMs = 900_000;

const liveBody = v.strictObject({
  timeout: field(
    v.pipe(v.number(), v.minValue(0), v.maxValue(maxTimerMs)),
    'How long the link works, in milliseconds. Default and maximum: 15 minutes, but no longer than the session.',
  ),
  interactable: field(v.boolean(), 'Whether the person may interact with the page. Default false.'),
  resizable: field(v.boolean(), 'Whether the page is resized to the person’s window. Default false.'),
  quality: field(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 'Quality of the frames. Default 70.'),
  type: field(v.picklist(['jpeg', 'png']), 'Format of the frame when the page is idle. Default jpeg.'),
  showBrowserInterface: field(v.boolean(), 'Whether tabs and the address bar are shown. Default true.'),
  instructions: field(
    v.pipe(v.string(), v.maxLength(liveViewLimits.instructionsCharacters)),
    'Instructions for the person, shown above the page with the buttons Done and I can’t.',
  ),
});

export const createLive = directRoute('sessions', 'POST /browser/:id/live', {
  subject: 'session',
  summary: 'A live view of a browser',
  description:
    'Creates a link for a person to watch the first page of a running browser, like Browserless.liveURL. Requires the token that Browserless.reconnect set for the browser, or a server token if none was set.',
  auth: (call) => void runningBrowser(call),
  query: tokenQuery,
  body: liveBody,
  example: { interactable: true, timeout: 60_000 },
  answers: [json(liveLink)],
  errors: ['session-not-found'],
  async handle(call) {
    const { request, signal, services } = call;
    const body = parseBody(
      liveBody,
      await readOptionalBody('browser/<id>/live', request, services.config.MAX_PAYLOAD_SIZE),
    );
    const session = runningBrowser(call);
    const [page] = await orAborted(pagesOf(session), signal);
    if (!page) throw new ServiceError('session-not-found', 'The browser has no page to watch.');
    const { ttl, startedAt } = session.facts;
    const leftMs = ttl > 0 ? Math.max(1, startedAt + ttl - now()) : Infinity;
    const { interactable = false, resizable = false, showBrowserInterface = true, type = 'jpeg', ...asked } = body;
    const settings = settingsOf({
      ...asked,
      quality: asked.quality ?? 70,
      interactive: interactable,
      resizable,
      showBrowserInterface,
      type,
      timeout: Math.min(body.timeout || longestMs, longestMs, leftMs),
    });
    const { id, outcome } = await orAborted(services.sessions.live.open(session, page.targetId, settings), signal);
    if (outcome) throw new ServiceError('session-not-found', 'The page has been closed.');
    return jsonResponse({ liveURL: liveUrl(call.base, id), liveURLId: id });
  },
});

export const getLive = directRoute('sessions', 'GET /browser/:id/live/:live', {
  subject: 'session',
  summary: 'The state of a live view',
  description: 'Reports whether a live view is active, and how it ended; available until its browser closes.',
  auth: (call) => void runningBrowser(call),
  query: tokenQuery,
  answers: [json(liveStatus)],
  errors: ['session-not-found'],
  handle(call) {
    const { outcome, settings, viewerCount, expiresAt = null } = liveViewOf(call);
    return jsonResponse({
      status: outcome ? ('ended' as const) : ('active' as const),
      reason: outcome?.reason ?? null,
      note: outcome?.note || null,
      interactable: settings.interactive,
      viewerCount,
      expiresAt,
    });
  },
});

export const deleteLive = directRoute('sessions', 'DELETE /browser/:id/live/:live', {
  subject: 'session',
  summary: 'End a live view',
  description: 'Ends a live view: its viewers are notified and disconnected; 404 if it has already ended.',
  auth: (call) => void runningBrowser(call),
  query: tokenQuery,
  answers: [noContent],
  errors: ['session-not-found'],
  handle(call) {
    const view = liveViewOf(call);
    if (view.outcome) throw noSuchView();
    view.end('closed');
    return new Response(null, { status: 204, headers: { 'Content-Type': 'text/plain' } });
  },
});

/**
 * The browser that the path of a request identifies, by its own id or that of its session. Checks the token first, so
 * that the status does not reveal whether an id exists.
 * @throws ServiceError `unauthorized`, `session-not-found`
 */
function runningBrowser(call: Call): AttachableSession {
  const id = call.parameter('id');
  const session = authorizedSession(call.services.sessions.registry.find(id)?.attachable, call);
  if (session) return session;
  throw new ServiceError('session-not-found', `Couldn't locate browser "${id.slice(0, 100)}": it is not running.`);
}

function liveViewOf(call: Call): LiveView {
  const view = call.services.sessions.live.ofSession(runningBrowser(call), call.parameter('live'));
  if (view) return view;
  throw noSuchView();
}

function noSuchView(): ServiceError {
  return new ServiceError('session-not-found', 'This browser has no live view with this id, or it has ended.');
}
