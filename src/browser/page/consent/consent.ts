/**
 * Rejects consent dialogs with the rules of `@duckduckgo/autoconsent`, in an isolated world of every frame. The page's
 * scripts see only the clicks.
 */
import type { CdpSession } from '../../cdp/connection.ts';
import { tryParseJson } from '../../../base/schema/json-text.ts';
import { assetText } from '../../../base/program/assets.ts';
import { now } from '../../../base/runtime/machine.ts';
import { toExpression } from '../page-function.ts';
import type { Page } from '../page.ts';
import { animationsEnded, connectAutoconsent } from '../../injected/consent.ts';

/** Time in milliseconds to wait for a dialog after two detection attempts; a frame without one by then has none. */
const noDialogMs = 700;
/**
 * Time in milliseconds for a detected platform to open its dialog; without one, it was answered on an earlier visit.
 */
const openLimitMs = 2_500;
/** Limit on the whole wait for a dialog, in milliseconds. */
const answerLimitMs = 10_000;
/** Polling interval of the state, in milliseconds. */
const lookMs = 50;

const worldName = 'browserd consent';
const bindingName = 'browserdConsent';

/** Messages that autoconsent sends from frames (its lib/messages.ts). */
type Message =
  | { type: 'init'; url: string; mainFrame: boolean }
  | { type: 'eval'; id: string; code: string }
  | { type: 'report'; instanceId: string; mainFrame: boolean; state: { lifecycle: string; findCmpAttempts: number } }
  | { type: 'popupFound' | 'optOutResult' | 'autoconsentDone' | 'cmpDetected'; cmp: string }
  | { type: 'autoconsentError' | 'visualDelay' | 'selfTestResult' | 'optInResult' };

interface Frame {
  /** Number of the main document (DocumentLifecycle.documents) to which the frame belongs. */
  documents: number;
  mainFrame: boolean;
  lifecycle: string;
  attempts: number;
  /** When the lifecycle or the number of attempts last changed. */
  since: number;
}

export interface ConsentHandler {
  /** Commands for the page itself and each out-of-process iframe, sent before they load. */
  commands(session: CdpSession): Promise<unknown>[];
  /** Starts in the current document; later documents start automatically. Never fails. */
  beginHere(): Promise<void>;
  /** Resolves when the page's dialog has been rejected and has closed, when there is none, or at the time limit. */
  settled(): Promise<void>;
}

/** Prepares to reject a page's consent dialogs; send `commands`, and call `settled` after each navigation. */
export async function startConsent(page: Page): Promise<ConsentHandler> {
  const { filter, rules, script } = await (loaded ??= load());
  const frames = new Map<string, Frame>();
  let beginning = 0;

  // Without Runtime.enable, Runtime.addBinding works only in an existing world, so each document is started separately.
  const begin = async (session: CdpSession, frameId: string, expression: string): Promise<void> => {
    beginning++;
    try {
      const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName });
      await session.send('Runtime.addBinding', { name: bindingName, executionContextId });
      await session.send('Runtime.evaluate', { expression, contextId: executionContextId });
    } catch {
      // The frame was removed in the meantime.
    } finally {
      beginning--;
    }
  };

  const answer = (session: CdpSession, contextId: number, message: object) =>
    session.send('Runtime.evaluate', {
      expression: `autoconsentReceiveMessage(${JSON.stringify(message)})`,
      contextId,
    });

  const receive = async (session: CdpSession, contextId: number, message: Message): Promise<void> => {
    switch (message.type) {
      case 'init': {
        const { url, mainFrame } = message;
        const bundle = { autoconsent: [], compact: filter(rules, { url, mainFrame }) };
        await answer(session, contextId, { type: 'initResp', config, rules: bundle });
        return;
      }
      case 'eval': {
        const { result } = await session.send('Runtime.evaluate', {
          expression: message.code,
          returnByValue: true,
          awaitPromise: true,
        });
        await answer(session, contextId, { type: 'evalResp', id: message.id, result: result.value ?? false });
        return;
      }
      case 'report': {
        const { instanceId, mainFrame, state } = message;
        const known = frames.get(instanceId);
        const { lifecycle, findCmpAttempts: attempts } = state;
        if (known?.lifecycle === lifecycle && known.attempts === attempts) return;
        frames.set(instanceId, { documents: page.life.documents, mainFrame, lifecycle, attempts, since: now() });
      }
    }
  };

  return {
    commands(session) {
      page.undo(
        session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
          if (name !== bindingName) return;
          // Only our world has the binding, and only autoconsent runs there.
          const message = tryParseJson(payload) as Message | undefined;
          if (message) receive(session, executionContextId, message).catch(() => {});
        }),
      );
      page.undo(
        session.on('Page.lifecycleEvent', ({ name, frameId }) => {
          if (name === 'DOMContentLoaded') void begin(session, frameId, script);
        }),
      );
      return [session.send('Page.enable'), session.send('Page.setLifecycleEventsEnabled', { enabled: true })];
    },
    // The document's DOMContentLoaded event may have started autoconsent already.
    beginHere: () => begin(page.session, page.mainFrameId, `if (!globalThis.autoconsentReceiveMessage) {${script}}`),
    async settled() {
      const start = now();
      while (now() - start < answerLimitMs) {
        const there = [...frames.values()].filter(({ documents }) => documents === page.life.documents);
        const busy = there.some(isBusy);
        if (!busy && there.some(({ lifecycle }) => lifecycle === 'done' || lifecycle === 'optOutSucceeded')) {
          // If the page navigates away, there is nothing left to wait for.
          await page.evaluate(animationsEnded).catch(() => {});
          return;
        }
        const looked = there.some(({ mainFrame }) => mainFrame) && there.every(hasLooked);
        if (!busy && beginning === 0 && (looked || !page.javaScriptEnabled)) return;
        await page.sleep(lookMs);
      }
    },
  };
}

/**
 * Whether detection in this frame has finished: it gave up, or two attempts found nothing (a third needs a DOM change).
 */
function hasLooked({ lifecycle, attempts, since }: Frame): boolean {
  const givenUp = ['nothingDetected', 'cmpDetected', 'optOutFailed'].includes(lifecycle);
  return givenUp || (attempts >= 2 && now() - since >= noDialogMs);
}

/** Whether a dialog is being detected or refused. */
function isBusy({ lifecycle, since }: Frame): boolean {
  if (lifecycle === 'cmpDetected') return now() - since < openLimitMs;
  return lifecycle === 'openPopupDetected' || lifecycle === 'runningOptOut';
}

/** Never accepts: a dialog of an unknown platform is answered only when it has a button to refuse. */
const config = {
  enabled: true,
  autoAction: 'optOut',
  enablePrehide: true,
  enableCosmeticRules: true,
  heuristicMode: 'reject',
  logs: {
    lifecycle: false,
    rulesteps: false,
    detectionsteps: false,
    evals: false,
    errors: false,
    messages: false,
    waits: false,
  },
};

type Filter = (typeof import('@duckduckgo/autoconsent'))['filterCompactRules'];
type Rules = Parameters<Filter>[0];

interface Library {
  filter: Filter;
  rules: Rules;
  /** Script that runs in pages. */
  script: string;
}

let loaded: Promise<Library> | undefined;

/** Loads the library's filter function, its rules and its script for pages. */
async function load(): Promise<Library> {
  const [library, rules, script] = await Promise.all([
    import('@duckduckgo/autoconsent'),
    assetText('autoconsent-rules.json'),
    assetText('autoconsent.js'),
  ]);
  // The rules are a file in the library.
  return { filter: library.filterCompactRules, rules: JSON.parse(rules) as Rules, script: toScript(script) };
}

/** Prepends to the library's script the function with which it sends messages. */
function toScript(text: string): string {
  return `${toExpression(connectAutoconsent, [bindingName])};\n${text}`;
}
