/** POST /function/{id}: runs the client's code on a page of a running browser (compatibility.mdx#code-in-requests). */
import { ServiceError } from '../../../base/errors.ts';
import { orAborted, orReleased } from '../../../base/runtime/deadline.ts';
import { codeBody } from '../../../base/schema/request/code.ts';
import { openPage } from '../../../browser/page/page.ts';
import { sessionRoute } from '../pipeline/route.ts';
import { requireNotHidden } from '../sessions/attach.ts';
import { runningBrowser } from '../sessions/devtools.ts';
import { pagesOf } from '../sessions/pages.ts';
import { functionRoute, toAnswer } from './function.ts';

export const functionInBrowser = sessionRoute('rest', 'function/:id', {
  subject: 'session',
  mounts: [{ prefix: '', browser: 'chromium' }],
  callKind: 'code-running',
  summary: 'Your code in a running browser',
  description:
    'Runs an ES module like /function, in a browser that is already running: `page` is its first page, as it is. The BrowserQL subscription `console` reports what the code logs. Requires the token that Browserless.reconnect set for the browser, or a server token if none was set.',
  auth: (call) => void runningBrowser(call),
  body: codeBody,
  readsCode: true,
  answers: functionRoute.answers,
  errors: ['session-not-found', 'session-ended'],
  example: functionRoute.example,
  async handle(job) {
    const { call, services } = job;
    const { signal } = call;
    // Look it up again: the browser may have been closed while the body arrived.
    const session = runningBrowser(call);
    requireNotHidden(session);
    session.traces.driven = true;
    call.session = session.facts.id;
    call.begin();
    const ended = new ServiceError('session-ended', "The session's browser was closed.");
    call.held.defer(session.connect({ isRequest: true, close: (error) => call.end(error ?? ended) }));
    call.held.use(session.life.working());
    const { runCode } = await import('./run-code.ts');
    const [first] = await orAborted(pagesOf(session), signal);
    if (!first) throw new ServiceError('session-not-found', 'The browser has no page.');
    const opening = services.sessions.codeHosts.openIn(session.process, first.targetId);
    const host = call.held.use(await orReleased(opening, signal, (late) => late[Symbol.dispose]()));
    const page = call.held.use(openPage(host.target, { signal, waiting: call.waiting }));
    const log = services.log.with({ session: session.facts.id });
    const egress = session.outcomes ?? services.network.egress;
    const watch = (level: string, text: string) => session.life.codeLogged(level, text);
    return toAnswer(await runCode({ ...job, page, egress, log }, watch), page);
  },
});
