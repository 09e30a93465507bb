/** Serves the dashboard actions on sessions: watch, take over, record, and end them. */
import type { ViewKind } from '../../../control/dashboard/dashboard-views.ts';
import { whyClosed } from '../../../control/dashboard/describe.ts';
import { defaultFrameRate } from '../../../sessions/cdp/recording-commands.ts';
import { ServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import type { AttachableSession, Session } from '../../../sessions/lifecycle/session.ts';
import { liveUrl } from '../http/public-url.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { requireOwnForm, requireSignedIn } from './guard.ts';
import { windowRoute } from './window-route.ts';

const done = () => new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });

const thumbnail = uiRoute('GET /dashboard/thumbnails/:id', {
  subject: 'session',
  auth: requireSignedIn,
  async handle(call) {
    const taking = call.services.web.dashboard.thumbnails.take(openSession(call));
    const picture = await orAborted(taking, call.signal);
    const headers = {
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    };
    if (!picture) return new Response(null, { status: 204, headers });
    return new Response(picture, { headers: { ...headers, 'Content-Type': 'image/jpeg' } });
  },
});

function opens(path: string, kind: ViewKind) {
  return windowRoute({
    path: `/dashboard/sessions/:id/${path}`,
    subject: 'session',
    nothing: 'There is nothing to watch',
    async open(call) {
      const opening = call.services.web.dashboard.views.open(openSession(call), kind);
      const { id } = await orAborted(opening, call.signal);
      return (base) => liveUrl(base, id);
    },
  });
}

const record = uiRoute('POST /dashboard/sessions/:id/record', {
  subject: 'session',
  auth: requireOwnForm,
  async handle(call) {
    const session = recordable(call);
    await orAborted(call.services.sessions.recordings.start(session, { frameRate: defaultFrameRate }), call.signal);
    return done();
  },
});

const stopRecording = uiRoute('POST /dashboard/sessions/:id/stop-recording', {
  subject: 'session',
  auth: requireOwnForm,
  async handle(call) {
    const recording = call.services.sessions.recordings.running(recordable(call));
    if (!recording) throw new ServiceError('bad-request', 'The session is not being recorded.');
    await orAborted(recording.stop('It was stopped from the dashboard.'), call.signal);
    return done();
  },
});

const kill = uiRoute('POST /dashboard/sessions/:id/kill', {
  subject: 'session',
  auth: requireOwnForm,
  handle(call) {
    sessionOf(call).life.end(new ServiceError('killed', 'The session was ended from the dashboard.'));
    return done();
  },
});

export const dashboardSessions = [
  thumbnail,
  opens('watch', 'watch'),
  opens('take-over', 'act'),
  record,
  stopRecording,
  kill,
];

/** @throws ServiceError `session-not-found` */
function sessionOf({ parameter, services }: Call): Session {
  const id = parameter('id');
  const found = services.sessions.registry.find(id);
  if (found?.facts.id === id) return found;
  throw new ServiceError('session-not-found', 'This session has ended.');
}

/** A session that people may watch. @throws ServiceError `session-not-found`, `forbidden-caller` */
function openSession(call: Call): AttachableSession {
  const session = sessionOf(call);
  const { attachable } = session;
  if (attachable?.auth !== undefined) {
    throw new ServiceError(
      'forbidden-caller',
      'The client of this session has set its own token: only people with that token may watch it.',
    );
  }
  const why = whyClosed(session);
  if (attachable && why === '') return attachable;
  throw new ServiceError('session-not-found', `This session cannot be watched: ${why}.`);
}

/** @throws ServiceError `session-not-found`, `forbidden-caller`, `bad-request` */
function recordable(call: Call): AttachableSession {
  const session = openSession(call);
  if (session.recordable) return session;
  throw new ServiceError(
    'bad-request',
    'The client of this session has not allowed recordings: it connected without record=true.',
  );
}
