/**
 * `POST /…/bql/{id}` on a kept browser, `POST /session/bql/{id}` on a session: run a document on an existing browser
 * (compatibility.mdx#browserql-transport).
 */
import { ServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { type RouteResult, type BrowserRequest, sessionRoute, type SessionRoute } from '../pipeline/route.ts';
import { browserOfStored, requireNoOverrides } from '../sessions/connect.ts';
import { recordFromStart } from '../sessions/record.ts';
import { storedSessionOf } from '../sessions/stored-sessions.ts';
import { keptBrowser } from '../sessions/reconnect.ts';
import { maxReconnectTime } from '../pipeline/admission.ts';
import { checkSessionToken } from '../sessions/session-auth.ts';
import { bqlMounts } from './run-document.ts';
import { documentRoute, toEndAnswer } from './bql-environment.ts';
import { readMutation } from './read-mutation.ts';
import { type OpenBrowser, runOnSession } from './run-on-session.ts';

const example = { query: 'mutation { url { url } title { title } }' };

/** Continues on a kept browser, which closes after the response unless the document calls `reconnect` or `liveURL`. */
const keptRoute = resumedRoute({
  summary: 'A BrowserQL document on a kept-alive browser',
  description:
    'Continues with a browser that `reconnect` keeps alive. To keep it longer, call `reconnect` again, or `liveURL`; otherwise the browser closes after the response, unless another client is connected.',
  mounts: bqlMounts.map(({ prefix, browser }) => ({ prefix, browser })),
  callKind: 'bql-kept',
  life: 'once',
  auth: (call) => void keptBrowser(call),
  open(request) {
    // Look it up again: the browser may have been closed while the body arrived.
    const session = keptBrowser(request.call);
    return () => Promise.resolve(session);
  },
});

const storedRoute = resumedRoute({
  summary: 'A BrowserQL document on a session',
  description:
    'Runs the document in a session that POST /session created with `stealth`. Cookies, storage, and the current page are kept for the next document, until the session ends.',
  mounts: [{ prefix: '/session', browser: 'chromium' }],
  callKind: 'bql-session',
  life: 'stays',
  auth: (call) => void storedSessionOf(call),
  open: openStored,
});

export const resumedRoutes: readonly SessionRoute[] = [keptRoute, storedRoute];

/**
 * @throws ServiceError `session-not-found`, `bad-request` for a session without stealth, and the errors documented for
 *   `requireNoOther`
 */
export function openStored(request: BrowserRequest): OpenBrowser {
  const { call, services, launch } = request;
  const stored = storedSessionOf(call);
  if (stored.options.launchOptions['stealth'] !== true) {
    throw new ServiceError(
      'bad-request',
      'BrowserQL needs a session that was created with "stealth": true. Create one with POST /session {"stealth": true}.',
    );
  }
  requireNoOverrides(request, stored);
  return async (clock) => {
    const session = await browserOfStored(stored, launch, call, clock);
    checkSessionToken(session, call);
    // Keep the page for the next document, as long as the session lives and MAX_RECONNECT_TIME allows.
    const longest = maxReconnectTime(call) || Infinity;
    session.keepFor({ timeoutMs: Math.max(1, Math.min(stored.remainingMs, longest)), auth: session.auth });
    // A replay that the document requests starts and ends with it.
    const replay = request.query.replay === undefined && stored.options.replay;
    await orAborted(recordFromStart({ services, query: { replay } }, session), clock.signal);
    return session;
  };
}

interface Resumed extends Pick<SessionRoute, 'summary' | 'description' | 'mounts' | 'callKind' | 'auth'> {
  life: 'once' | 'stays';
  /** Finds the browser of the request. */
  open(request: BrowserRequest): OpenBrowser;
}

function resumedRoute({ life, open, ...route }: Resumed): SessionRoute {
  return sessionRoute('browserql', 'bql/:id', {
    ...route,
    ...documentRoute,
    subject: 'session',
    example,
    async handle(job): Promise<RouteResult> {
      const opening = open(job);
      const read = await readMutation(job);
      if ('answer' in read) return read.answer;
      return toEndAnswer(await runOnSession(job, { ready: read.ready, open: opening, life }));
    },
  });
}
