/** `POST /…/bql/{id}` on a kept browser, `POST /session/bql/{id}` on a session. Contract browserql.md 4.1, 4.6. */
import { answerQuery, readDocument } from '../../bql/execute.ts';
import type { AttachableSession } from '../../sessions/session.ts';
import { ServiceError } from '../../errors.ts';
import type { Clock } from '../../runtime/deadline.ts';
import { checkToken, credentialOf } from '../http/auth.ts';
import type { Answer, EarlyCall, PageRoute } from '../pipeline/route.ts';
import { pageRoute } from '../pipeline/route.ts';
import { browserOfStored } from '../sessions/connect.ts';
import { storedSession } from '../sessions/stored-sessions.ts';
import { keptBrowser } from '../sessions/reconnect.ts';
import { type BqlBody, bqlBody } from './bql-body.ts';
import { bqlMounts } from './run-document.ts';
import { bqlAnswers, hostFor, optionsFor, refusal, subscriptionOverHttp, toAnswer } from './bql-environment.ts';
import { runAttached } from './run-attached.ts';

type Call = EarlyCall<BqlBody>;

const example = { query: 'mutation { url { url } title { title } }' };

/** A kept browser goes on; unless the document keeps it again, it ends with the answer. */
const keptRoute = continuedRoute(
  'bql/:id',
  'A BrowserQL document on a kept browser',
  'Goes on with a browser that `reconnect` keeps. The document calls `reconnect` again to keep it longer; otherwise the browser ends with the answer, unless another client is connected.',
  bqlMounts.map(({ prefix, browser }) => ({ prefix, browser })),
  'once',
  (request, url, services) => void keptBrowser(idOf(url), request, url, services),
  (call) => {
    // Once more: it may have ended while the body came in.
    const session = keptBrowser(idOf(call.url), call.request, call.url, call.services);
    return () => Promise.resolve(session);
  },
);

const storedRoute = continuedRoute(
  'bql/:id',
  'A BrowserQL document on a session',
  'Runs the document in a session that POST /session made with `stealth`. Cookies, storage and the current page are there for the next document, until the session ends.',
  [{ prefix: '/session', browser: 'chromium' }],
  'stays',
  (request, url, services) => {
    checkToken(credentialOf(request.headers.get('authorization'), url.searchParams), services.config.TOKEN);
    storedSession(idOf(url), services);
  },
  (call) => openStored(idOf(call.url), call),
);

export const continuedRoutes: readonly PageRoute[] = [keptRoute, storedRoute];

/** @throws ServiceError `session-not-found`, `bad-request` for a session without stealth */
export function openStored(
  id: string,
  { services, launch, progress }: Pick<Call, 'services' | 'launch' | 'progress'>,
): (clock: Clock) => Promise<AttachableSession> {
  const stored = storedSession(id, services);
  if (stored.options.launchOptions['stealth'] !== true) {
    throw new ServiceError(
      'bad-request',
      'BrowserQL needs a session that was created with "stealth": true. Create one with POST /session {"stealth": true}.',
    );
  }
  return async (clock) => {
    const session = await browserOfStored(stored, launch, clock, services, progress);
    // The page stays for the next document, as long as the session lives.
    const longest = services.config.MAX_RECONNECT_TIME || Infinity;
    session.keepFor({ timeoutMs: Math.max(1, Math.min(stored.leftMs, longest)), auth: undefined });
    return session;
  };
}

export function idOf(url: URL): string {
  return decodeURIComponent(url.pathname.replace(/\/$/, '').split('/').at(-1) ?? '');
}

function continuedRoute(
  name: string,
  summary: string,
  description: string,
  mounts: NonNullable<PageRoute['mounts']>,
  life: 'once' | 'stays',
  authorize: NonNullable<PageRoute['authorize']>,
  find: (call: Call) => (clock: Clock) => Promise<AttachableSession>,
): PageRoute {
  return pageRoute({
    name,
    mounts,
    authorize,
    summary,
    description,
    body: bqlBody,
    answers: bqlAnswers,
    example,
    async early(call): Promise<Answer> {
      const { body, services, query, launch } = call;
      const open = find(call);
      let ready;
      try {
        ready = await readDocument(body);
      } catch (error) {
        return refusal(error);
      }
      if (ready.kind === 'query') return toAnswer(await answerQuery(ready, hostFor(services, services.log)));
      if (ready.kind === 'subscription') return toAnswer(subscriptionOverHttp, 400);
      return toAnswer(await runAttached(call, ready, optionsFor(ready, query, launch), open, life));
    },
    handle: () => Promise.reject(new Error('a continued document takes no page of the pool')),
  });
}
