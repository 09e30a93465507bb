/**
 * Prepares a page that runs the code of a request. The page has an origin without a web server, and runs Puppeteer,
 * connected through the server to the page's own browser context, with a blank page of that context for the code. This
 * connection is the code's only channel to the server.
 */
import type { CdpSession } from '../../browser/cdp/connection.ts';
import type { ClientBrowser } from '../../browser/processes/client-browser.ts';
import { createPageTarget, type PageTarget } from '../../browser/processes/page-target.ts';
import { ignoreFailures } from '../../browser/cdp/auto-attach.ts';
import { ContextBridge } from '../cdp/context-bridge.ts';
import { codeHostUrl } from '../cdp/rules/addresses.ts';
import { ServiceError } from '../../base/errors.ts';
import { codeLimits } from '../../base/limits.ts';
import { isLong, turnBefore } from '../../base/runtime/deadline.ts';
import type { Page } from '../../browser/page/page.ts';
import { assetText } from '../../base/program/assets.ts';
import { startHost } from '../../browser/injected/host-page.ts';
import { toCall } from '../../browser/page/page-function.ts';
import { type Outcome, parseOutcome, parseChunk } from './outcome.ts';
import { tryParseJson } from '../../base/schema/json-text.ts';
import { fromBase64 } from '../../base/runtime/bytes.ts';

/** Whether code may open a URL. */
export type UrlCheck = (text: string) => boolean;

/** A blank page that becomes a host, and its browser. */
export interface HostPage {
  target: PageTarget;
  browser: Pick<ClientBrowser, 'mode' | 'stealth'>;
  /** The proxy of the page's context, if it is not the default egress. */
  proxyServer?: string | undefined;
  /** A page in the browser's default context that the code receives as it is, instead of a new one. */
  drives?: string | undefined;
}

export interface CodeRun {
  code: string;
  context: unknown;
  /** The size of the code's page; 800 × 600 when left out. */
  viewport: unknown;
  /** Called for each line that the code writes to the console, up to `maxLines` lines. */
  log(level: string, text: string): void;
}

/** At a potentially trustworthy origin: the code runs in a secure context, and can still import from plain http URLs. */
const document = '<!doctype html><meta charset="utf-8"><title>function</title>';
const maxLines = 1_000;
const maxLineCharacters = 2_000;
/** Limit on the messages queued in each direction between page and server, in characters; beyond it the run fails. */
const maxWaitingCharacters = codeLimits.messageCharacters;

let hostScript: Promise<string> | undefined;

/** Returns the script that turns a blank document into a host; reads Puppeteer once. */
function readHostScript(): Promise<string> {
  hostScript ??= Promise.all([assetText('puppeteer.js'), import('./known-types.ts')]).then(
    ([puppeteer, { knownTypes }]) =>
      `(bindingName) => {${puppeteer}\nreturn ${toCall(startHost, 'bindingName', 'Puppeteer.connect', JSON.stringify({ knownTypes, ...codeLimits }))};}`,
  );
  return hostScript;
}

/** A host in the browser of a session. Disposing it closes the host; the page that its code drives stays open. */
export interface OpenHost extends Disposable {
  target: PageTarget;
  host: CodeHost;
}

/**
 * Makes a host in the browser of a session, in a separate context.
 * @param drives a page of the browser's default context
 * @throws any error that the browser returns
 */
export async function openHostIn(browser: ClientBrowser, drives: string, allowsUrl: UrlCheck): Promise<OpenHost> {
  const target = await createPageTarget(browser, { ownContext: true });
  const { contextId: browserContextId = '', connection } = target;
  const close = () => ignoreFailures([connection.root.send('Target.disposeBrowserContext', { browserContextId })]);
  try {
    const host = await CodeHost.create({ browser, target, drives }, allowsUrl);
    const dispose = () => {
      host[Symbol.dispose]();
      close();
    };
    return { target, host, [Symbol.dispose]: dispose };
  } catch (error) {
    close();
    throw error;
  }
}

export class CodeHost implements Disposable {
  readonly bridge: ContextBridge;
  readonly #session: CdpSession;
  readonly #failed = new AbortController();
  readonly #waiting: string[] = [];
  #waitingCharacters = 0;
  #sending = false;
  /** Characters of messages from the page that are queued behind a long one. */
  #arriving = 0;
  #handled = Promise.resolve();
  #objectId = '';
  /** Execution context of the host's document; messages from any other are ignored. */
  #executionContext: number | undefined;
  /** True when pages have the default size, false when they have the size of their window. */
  readonly #sized: boolean;
  #lines = 0;
  #run: { log: CodeRun['log']; ended: (text: string) => void } | undefined;

  private constructor({ browser, target, proxyServer, drives }: HostPage, allowsUrl: UrlCheck) {
    this.#session = target.session;
    this.#sized = target.sized && drives === undefined;
    this.bridge = new ContextBridge({
      connection: target.connection,
      contextId: drives === undefined ? target.contextId : undefined,
      firstPage: drives,
      sized: browser.mode === 'shell',
      shield: browser.stealth,
      allowsUrl,
      proxyServer,
      deliver: (message) => this.#deliver(message),
      closed: () =>
        this.#fail(
          'The code closed its browser before it had finished. Remove browser.close(): the server closes the browser.',
        ),
      tooManyWindows: (reason) => this.#fail(reason),
    });
  }

  /**
   * Turns a blank page into a host.
   * @throws any error that the browser returns; the caller must then close the page
   */
  static async create(page: HostPage, allowsUrl: UrlCheck): Promise<CodeHost> {
    const host = new CodeHost(page, allowsUrl);
    try {
      await Promise.all([host.#open(), host.bridge.watchWindows()]);
      return host;
    } catch (error) {
      host[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Runs the code and returns its outcome; a host runs code only once.
   * @throws ServiceError `code-failed` when the code navigates or closes the host; any error that Page.until throws
   */
  async run(page: Page, { code, context, viewport, log }: CodeRun): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#run = { log, ended: resolve };
    this.#failed.signal.addEventListener('abort', () => reject(this.#failed.signal.reason), { once: true });
    const started = this.#call('function (...run) { this.run(...run); }', code, context, viewport);
    // If the page crashes, times out or is disposed, `until` rejects with the page's failure.
    started.catch(() => {});
    return parseOutcome(await page.until(promise));
  }

  /** Returns the next chunk of a long result. @throws ServiceError `code-failed` when the code's own stream fails */
  async pull(page: Page): Promise<{ bytes: Uint8Array; done: boolean }> {
    const answer = page.session.send('Runtime.callFunctionOn', {
      objectId: this.#objectId,
      functionDeclaration: 'function () { return this.pull(); }',
      awaitPromise: true,
      returnByValue: true,
    });
    const { result, exceptionDetails } = await page.until(answer);
    if (exceptionDetails) {
      const { exception, text } = exceptionDetails;
      throw new ServiceError('code-failed', exception?.description?.split('\n')[0] ?? text);
    }
    const { data, done } = parseChunk(result.value);
    return { bytes: fromBase64(data), done };
  }

  [Symbol.dispose](): void {
    this.bridge[Symbol.dispose]();
    this.#waiting.length = 0;
    this.#run = undefined;
  }

  async #open(): Promise<void> {
    const session = this.#session;
    // The page cannot guess the name, and the host deletes the binding before it runs any code.
    const name = `browserd_${crypto.randomUUID().replaceAll('-', '')}`;
    session.on('Runtime.bindingCalled', (event) => {
      if (event.name !== name || this.#failed.signal.aborted) return;
      this.#executionContext ??= event.executionContextId;
      if (event.executionContextId === this.#executionContext) this.#take(event.payload);
    });
    const stop = session.on('Fetch.requestPaused', ({ requestId }) => {
      const responseHeaders = [{ name: 'Content-Type', value: 'text/html; charset=utf-8' }];
      const body = btoa(document);
      session
        .send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body })
        .catch(() => undefined);
    });
    const [script] = await Promise.all([
      readHostScript(),
      session.send('Fetch.enable', { patterns: [{ urlPattern: `${codeHostUrl}*` }] }),
      // Page.navigate returns when the document has been committed.
      session.send('Page.navigate', { url: codeHostUrl }),
    ]);
    stop();
    const [, , , { result, exceptionDetails }] = await Promise.all([
      session.send('Fetch.disable'),
      // Bindings are reported only while Runtime is enabled. Both commands must follow the navigation, which changes
      // the process and would lose them.
      session.send('Runtime.enable'),
      session.send('Runtime.addBinding', { name }),
      session.send('Runtime.evaluate', { expression: `(${script})(${JSON.stringify(name)})` }),
    ]);
    if (exceptionDetails || result.objectId === undefined) {
      throw new Error('could not create the page that runs the code', { cause: exceptionDetails });
    }
    this.#objectId = result.objectId;
    // A document that replaces the host's must not receive its channel.
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId !== undefined) return;
      this.#fail('The code navigated the page that it runs in. Call page.goto() on the page that is passed to it.');
    });
    const opened = await session.send('Runtime.callFunctionOn', {
      objectId: this.#objectId,
      functionDeclaration: 'function (sized) { return this.open(sized); }',
      arguments: [{ value: this.#sized }],
      awaitPromise: true,
    });
    if (opened.exceptionDetails) {
      throw new Error('Puppeteer could not connect', { cause: opened.exceptionDetails.exception?.description });
    }
  }

  /** Handles the host's messages in order, each long one in a separate turn of the event loop. */
  #take(payload: string): void {
    if (this.#arriving === 0 && !isLong(payload)) return this.#handle(payload);
    if (this.#arriving > maxWaitingCharacters)
      return this.#fail(
        `More than ${maxWaitingCharacters} characters from the code are waiting to be processed: send less at a time.`,
      );
    this.#arriving += payload.length;
    this.#handled = this.#handleInTurn(payload, this.#handled);
  }

  async #handleInTurn(payload: string, before: Promise<void>): Promise<void> {
    await before;
    await turnBefore(payload);
    this.#arriving -= payload.length;
    this.#handle(payload);
  }

  /** Aborted with a ServiceError `code-failed` when the code has closed its host or its pages have gone too far. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Handles a message; its first letter is its kind: `c` CDP, `l` a console line, `r` the result. */
  #handle(payload: string): void {
    if (this.#failed.signal.aborted) return;
    const text = payload.slice(1);
    if (payload.startsWith('c')) this.bridge.receive(text);
    else if (payload.startsWith('r')) this.#run?.ended(text);
    else if (payload.startsWith('l') && this.#lines++ < maxLines) this.#log(text);
  }

  #log(text: string): void {
    const entry = tryParseJson(text);
    if (!Array.isArray(entry)) return;
    const [level, line] = entry;
    if (typeof level !== 'string' || typeof line !== 'string') return;
    this.#run?.log(level.slice(0, 10), line.slice(0, maxLineCharacters));
  }

  #deliver(message: string): void {
    if (message.length > maxWaitingCharacters) return this.#fail('A page sent an event that is too long for the code.');
    // Checked before adding, so that the longest message passes.
    const tooMuch = this.#waitingCharacters > maxWaitingCharacters;
    this.#waitingCharacters += message.length;
    if (tooMuch)
      return this.#fail(
        `More than ${maxWaitingCharacters} characters are waiting for the code: request less at a time.`,
      );
    this.#waiting.push(message);
    // Messages that arrive in the same task are sent together.
    if (!this.#sending) queueMicrotask(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      while (this.#waiting.length > 0) {
        await turnBefore({ length: this.#waitingCharacters });
        const messages = this.#waiting.splice(0);
        this.#waitingCharacters = 0;
        await this.#call('function (messages) { this.receive(messages); }', messages);
      }
    } catch {
      // The page has closed; the end of its session rejects the pending promises.
    } finally {
      this.#sending = false;
    }
  }

  #call(functionDeclaration: string, ...values: unknown[]): Promise<unknown> {
    return this.#session.send('Runtime.callFunctionOn', {
      objectId: this.#objectId,
      functionDeclaration,
      arguments: values.map((value) => ({ value })),
      silent: true,
    });
  }

  #fail(message: string): void {
    this.#failed.abort(new ServiceError('code-failed', message));
  }
}
