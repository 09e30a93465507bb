/** Runs BrowserQL documents on browsers that clients attach to, as one of their clients. */
import type { DocumentResult } from '../../bql/execute.ts';
import type { ReadyDocument } from '../../bql/language/document.ts';
import type { BqlEnvironment, Endpoints } from '../../bql/run/environment.ts';
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { ServiceError, toServiceError } from '../../../base/errors.ts';
import { settingsOf } from '../../../sessions/live/settings.ts';
import { type Clock, orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import { describePage, pagesOf } from '../sessions/pages.ts';
import { recordFromStart } from '../sessions/record.ts';
import { maxReconnectTime } from '../pipeline/admission.ts';
import type { BrowserRequest } from '../pipeline/route.ts';
import { documentRunnerOf } from './document-runner.ts';
import { environmentFor, optionsFor } from './bql-environment.ts';
import { liveUrl, recordingUrl, toSocketUrl } from '../http/public-url.ts';

/**
 * Finds or starts the browser of a document; the clock is that of the request, and its signal is also aborted when the
 * browser is closed.
 */
export type OpenBrowser = (clock: Clock) => Promise<AttachableSession>;

/** A document, and how to open the browser that it runs on. */
interface SessionRun {
  ready: ReadyDocument;
  open: OpenBrowser;
  /**
   * `stays`: the browser keeps running after the document; `once`: it is closed after the document, unless the document
   * keeps it.
   */
  life: 'once' | 'stays';
}

/** @throws the errors of `open`; ServiceError `timeout`; or the reason why the browser was closed */
export async function runOnSession(
  request: BrowserRequest,
  { ready, open, life }: SessionRun,
): Promise<DocumentResult> {
  const { call, query, launch } = request;
  const { clock } = call;
  const ended = new AbortController();
  // The time limit is that of the request; the document is also aborted when the browser is closed.
  using deadline = startDeadline(0, () => undefined, [clock.signal, ended.signal]);
  const session = await open({ signal: deadline.signal, stop: clock.stop, start: clock.start });
  call.session = session.facts.id;
  call.begin();
  const leave = session.connect({
    isRequest: true,
    close: (error) => ended.abort(error ?? new ServiceError('session-ended', "The session's browser was closed.")),
  });
  const { recordings } = request.services.sessions;
  const isRecorded = recordings.replay(session) !== undefined;
  const starting = recordFromStart(request, session);
  try {
    await orAborted(starting, deadline.signal);
    const environment = reconnectableEnvironment(session, request);
    const options = optionsFor(ready, query, launch);
    const runner = documentRunnerOf(session);
    const order = { ready, environment, options, waiting: call.waiting };
    if (life === 'stays') return await runner.run(order, deadline.signal);
    return await runner.runOnce(order, deadline.signal);
  } finally {
    // A replay that the document started ends when the document does, even if the browser keeps running.
    if (query.replay === true && !isRecorded) {
      // The replay may still be starting; if so, stop it as soon as it has started.
      const begun = starting.catch(() => {});
      const ending = begun.then(() => recordings.replay(session)?.stop('The document ended.'));
      await orAborted(ending, deadline.signal).catch(() => {});
    }
    leave();
  }
}

/** The environment of a document on a browser that can be kept. */
export function reconnectableEnvironment(
  session: AttachableSession,
  { call, services, launch }: BrowserRequest,
): BqlEnvironment {
  const { url, base } = call;
  const { exposure } = session;
  const log = services.log.with({ session: session.facts.id });
  const environment = environmentFor(services, log, {
    egress: session.outcomes,
    call,
    owner: () => call.owner(),
    // On a kept browser, a document may accept invalid certificates for requests that the server makes on its behalf.
    exposure: { ...exposure, insecure: exposure.insecure || launch.acceptInsecureCerts === true },
    insecure: launch.acceptInsecureCerts,
    process: session.process,
    domains: session.facts.allowedDomains,
  });
  const longestMs = maxReconnectTime(call) || Infinity;
  return {
    ...environment,
    async openLive(targetId, request, signal) {
      const timeout = Math.min(request.timeout, longestMs);
      // oxlint-disable-next-line browserd/raced-await -- the requesting step is raced
      const view = await services.sessions.live.open(session, targetId, settingsOf({ ...request, timeout }));
      if (signal.aborted) view.end('closed');
      signal.throwIfAborted();
      if (view.outcome) throw new ServiceError('page-crashed', 'The page was closed.');
      documentRunnerOf(session).keepFor('live', timeout);
      return { liveURL: liveUrl(base, view.id), liveURLId: view.id };
    },
    async hide() {
      if (session.traces.driven) {
        return 'A CDP client has driven this browser and may still be listening: load secrets in a separate browser.';
      }
      session.hidden = true;
      services.sessions.live.closeAll(session);
      // oxlint-disable-next-line browserd/raced-await -- the requesting step is raced
      await services.sessions.recordings.stopAll(session, 'loadSecret has filled in a secret.');
      return undefined;
    },
    watchCode: (listener) =>
      session.life.watch((event) => event.type === 'console' && listener(event.level, event.text)),
    async stopReplay() {
      try {
        // oxlint-disable-next-line browserd/raced-await -- the requesting step is raced
        const { id } = await services.sessions.recordings.stopReplay(session);
        return { error: null, url: recordingUrl(base, id) };
      } catch (error) {
        return { error: toServiceError(error).message, url: null };
      }
    },
    sized: (targetId, metrics) => session.viewports.record(targetId, metrics),
    async reconnect(timeoutMs, targetId): Promise<Endpoints> {
      documentRunnerOf(session).keepFor('reconnect', Math.min(timeoutMs, longestMs));
      const page = (await pagesOf(session)).find((one) => one.targetId === targetId);
      const described = page && describePage(session.facts.id, page, base);
      const socket = toSocketUrl(base);
      return {
        browserQLEndpoint: `${base}${prefixOf(url)}/bql/${session.facts.id}`,
        browserWSEndpoint: `${socket}/reconnect/${session.facts.id}`,
        devtoolsFrontendUrl: new URL(described?.devtoolsFrontendUrl ?? '', base).href,
        webSocketDebuggerUrl: described?.webSocketDebuggerUrl ?? `${socket}/devtools/page/${targetId}`,
      };
    },
  };
}

/** The first segment of the request path: `/chromium`, `/chrome`, `/stealth`; `/chromium` for sessions. */
function prefixOf(url: URL): string {
  const [, first = ''] = /^(\/[^/]+)\/bql\b/.exec(url.pathname) ?? [];
  return first === '' || first === '/session' ? '/chromium' : first;
}
