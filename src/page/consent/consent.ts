/**
 * Consent dialogs: refuses what they ask for, with the rules of `@duckduckgo/autoconsent`, in an isolated world of every
 * frame. The page's scripts see clicks, and nothing else of it.
 */
import type { CdpSession } from '../../cdp/connection.ts';
import { readText, pathOf } from '../../runtime/files.ts';
import { now } from '../../runtime/machine.ts';
import { toExpression } from '../page-function.ts';
import type { Page } from '../page.ts';
import { animationsEnded, connectAutoconsent } from '../../injected/consent.ts';

/** A page whose dialogs stay away this long after two looks for them has none, in milliseconds. */
const noDialogMs = 700;
/** A known platform whose dialog does not open within this time has been answered before. */
const openLimitMs = 2_500;
/** No dialog is waited for longer, all steps together. */
const answerLimitMs = 10_000;
/** How often the state is looked at. */
const lookMs = 50;

const worldName = 'browserd consent';
const bindingName = 'browserdConsent';

/** What autoconsent tells from the frames (its lib/messages.ts). */
type Message =
  | { type: 'init'; url: string; mainFrame: boolean }
  | { type: 'eval'; id: string; code: string }
  | { type: 'report'; instanceId: string; mainFrame: boolean; state: { lifecycle: string; findCmpAttempts: number } }
  | { type: 'popupFound' | 'optOutResult' | 'autoconsentDone' | 'cmpDetected'; cmp: string }
  | { type: 'autoconsentError' | 'visualDelay' | 'selfTestResult' | 'optInResult' };

interface Frame {
  /** The main document that it belongs to. */
  documents: number;
  mainFrame: boolean;
  lifecycle: string;
  attempts: number;
  /** When it got into this state. */
  since: number;
}

export interface ConsentAnswers {
  /** The commands for the page itself and each of its frames of other sites, before they load. */
  commands(session: CdpSession): Promise<unknown>[];
  /** Begins with the document that is there; documents that come later are begun by themselves. Never fails. */
  beginHere(): Promise<void>;
  /** Resolves when the dialog of the page that is there is answered and gone, or when there is none; never fails for it. */
  settled(): Promise<void>;
}

/** Begins to answer the consent dialogs of a page; call `settled` after each navigation. */
export async function startConsent(page: Page): Promise<ConsentAnswers> {
  const { filter, rules, script } = await (loaded ??= load());
  const frames = new Map<string, Frame>();
  let beginning = 0;

  /** Without Runtime.enable a binding is only made in a world that is there, so each document is begun by itself. */
  const begin = async (session: CdpSession, frameId: string, expression: string): Promise<void> => {
    beginning++;
    try {
      const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName });
      await session.send('Runtime.addBinding', { name: bindingName, executionContextId });
      await session.send('Runtime.evaluate', { expression, contextId: executionContextId });
    } catch {
      // A frame that is gone meanwhile asks for nothing any more.
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
          // Only our world has the binding, and only autoconsent is in it.
          receive(session, executionContextId, JSON.parse(payload) as Message).catch(() => {});
        }),
      );
      page.undo(
        session.on('Page.lifecycleEvent', ({ name, frameId }) => {
          if (name === 'DOMContentLoaded') void begin(session, frameId, script);
        }),
      );
      return [session.send('Page.enable'), session.send('Page.setLifecycleEventsEnabled', { enabled: true })];
    },
    // Its DOMContentLoaded may have come meanwhile.
    beginHere: () => begin(page.session, page.mainFrameId, `if (!globalThis.autoconsentReceiveMessage) {${script}}`),
    async settled() {
      const start = now();
      while (now() - start < answerLimitMs) {
        const there = [...frames.values()].filter(({ documents }) => documents === page.life.documents);
        const busy = there.some(isBusy);
        if (!busy && there.some(({ lifecycle }) => lifecycle === 'done' || lifecycle === 'optOutSucceeded')) {
          // A page that goes on to another document has nothing left to wait for.
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

/** Has found nothing, twice (a third look follows only when the document changes), or nothing that it can answer. */
function hasLooked({ lifecycle, attempts, since }: Frame): boolean {
  const givenUp = ['nothingDetected', 'cmpDetected', 'optOutFailed'].includes(lifecycle);
  return givenUp || (attempts >= 2 && now() - since >= noDialogMs);
}

/** A dialog is being looked at or answered. */
function isBusy({ lifecycle, since }: Frame): boolean {
  if (lifecycle === 'cmpDetected') return now() - since < openLimitMs;
  return lifecycle === 'openPopupDetected' || lifecycle === 'runningOptOut';
}

/** Refuse, never accept: a dialog of an unknown platform is answered only when it has a button to refuse. */
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
  /** What runs in pages. */
  script: string;
}

let loaded: Promise<Library> | undefined;

/** The library for us, its rules and its script for pages; read on first use. */
async function load(): Promise<Library> {
  const entry = import.meta.resolve('@duckduckgo/autoconsent');
  const [library, rules, script] = await Promise.all([
    import('@duckduckgo/autoconsent'),
    readText(pathOf(import.meta.resolve('@duckduckgo/autoconsent/rules/compact-rules.json'))),
    readText(pathOf(new URL('autoconsent.playwright.js', entry).href)),
  ]);
  // The rules are a file of the library's own.
  return { filter: library.filterCompactRules, rules: JSON.parse(rules) as Rules, script: toScript(script) };
}

/** The library's script for pages, with its way of sending messages. It runs once in each document. */
function toScript(text: string): string {
  return `${toExpression(connectAutoconsent, [bindingName])};\n${text}`;
}
