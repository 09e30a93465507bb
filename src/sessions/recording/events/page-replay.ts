/**
 * Records the document of a page from inside the page (src/sessions/recording/recorder), in an isolated world of a
 * server-side session. The page's scripts cannot see it.
 */
import { ignoreFailures } from '../../../browser/cdp/auto-attach.ts';
import { tryParseJson } from '../../../base/schema/json-text.ts';
import { isPlainObject } from '../../../base/schema/record.ts';
import type { CdpSession } from '../../../browser/cdp/connection.ts';
import { replayLimits } from '../../../base/limits.ts';
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import { now } from '../../../base/runtime/machine.ts';
import { messageKinds, type RecorderSettings, type ReplayMask } from '../recorder/settings.ts';
import { BuiltFiles } from '../../../base/assets/built-files.ts';
import type { FilesManifest } from '../../../base/assets/manifest.ts';
import { builtFolder } from '../../../base/program/assets.ts';

const worldName = 'browserd replay';
const binding = 'browserdReplay';
/**
 * Timeout for responses of the page, in ms. It does not respond while a dialog is open, which must not delay the
 * session.
 */
const responseTimeoutMs = 1_000;
/** Like `responseTimeoutMs`, but when a client is waiting to navigate to another document. */
const leaveLimitMs = 200;

/**
 * Matches the time and type of the event in a line. Events of type `EventType.Meta` (rrweb) contain the page's size.
 */
const head = /^\{"timestamp":(\d{1,16}),"type":(\d)/;
const metaType = '4';

export interface PageReplayOptions {
  /** The server's session with the page. */
  session: CdpSession;
  /** Target id of the page. */
  page: string;
  mask: ReplayMask;
  /** Called with each event as a line of JSON. @param timestamp epoch milliseconds */
  take(timestamp: number, line: string): void;
  /** Called with the size of the page. */
  sized(size: { width: number; height: number }): void;
  /** Called once when recording of the page stops early. @param why human-readable reason */
  stopped(why: string): void;
}

export class PageReplay {
  readonly #options: PageReplayOptions;
  readonly #stops: (() => void)[];
  /** Execution context id in the current document. */
  #context: number | undefined;
  /** Resolves when the recorder of the current document can send messages to the server. */
  #bound: Promise<unknown> = Promise.resolve();
  #script: string | undefined;
  #isStopped = false;
  /** Characters received in the last seconds, oldest first. */
  readonly #seconds: { second: number; characters: number }[] = [];

  private constructor(options: PageReplayOptions) {
    this.#options = options;
    const { session, page } = options;
    this.#stops = [
      session.on('Runtime.bindingCalled', ({ name, payload }) => {
        // Only the recorder's world has the function.
        if (name === binding) this.#receive(payload);
      }),
      session.on('Page.frameNavigated', ({ frame }) => {
        if (frame.id === page) ignoreFailures([(this.#bound = this.#bind())]);
      }),
    ];
  }

  /**
   * Starts with the current document. Resolves when recording, or after a timeout; then recording starts once the page
   * responds.
   */
  static async start(options: PageReplayOptions): Promise<PageReplay> {
    const { messageCharacters, readMs } = replayLimits;
    const source = await recorderScript({ binding, mask: options.mask, messageCharacters, readMs });
    const replay = new PageReplay(options);
    using deadline = startDeadline(responseTimeoutMs, () => new Error('the page did not respond'), []);
    await orAborted(replay.#begin(source), deadline.signal).catch(() => {});
    return replay;
  }

  async #begin(source: string): Promise<void> {
    const { session } = this.#options;
    const enabled = session.send('Page.enable');
    const added = session.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName, runImmediately: true });
    this.#bound = this.#bind();
    ignoreFailures([enabled, this.#bound]);
    this.#script = (await added).identifier;
    await this.#bound;
  }

  /** Fetches the events so far. @param leaves whether the page is about to leave the document, and waits for this */
  async flush(leaves = false): Promise<void> {
    using deadline = startDeadline(leaves ? leaveLimitMs : responseTimeoutMs, () => undefined, [
      this.#options.session.closed,
    ]);
    // A new document might not have the function yet.
    const told = Promise.allSettled([this.#bound]).then(() => this.#call('flush'));
    await orAborted(told, deadline.signal).catch(() => {});
  }

  /**
   * Removes the recorder. Resolves when no trace of it is left in the page; the session must stay attached until then.
   */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const { session } = this.#options;
    for (const stop of this.#stops) stop();
    const removed =
      this.#script === undefined
        ? undefined
        : session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier: this.#script });
    // If the session is closed, script and function are removed with it.
    await Promise.allSettled([removed, this.#call('stop')]);
  }

  /** Without Runtime.enable, Runtime.addBinding works only in an existing world, so it is called for each document. */
  async #bind(): Promise<void> {
    const { session, page: frameId } = this.#options;
    const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName });
    this.#context = executionContextId;
    await session.send('Runtime.addBinding', { name: binding, executionContextId });
  }

  async #call(name: 'flush' | 'stop'): Promise<void> {
    if (this.#context === undefined) return;
    const expression = `globalThis.browserdRecorder?.${name}()`;
    const params = { expression, contextId: this.#context, awaitPromise: true };
    await this.#options.session.send('Runtime.evaluate', params);
  }

  #receive(message: string): void {
    if (this.#isStopped) return;
    const content = message.slice(1);
    if (message[0] !== messageKinds.events) return this.#end(content);
    if (!this.#count(message.length)) return this.#end('The page changed too fast to be recorded.');
    for (const line of content.split('\n')) this.#take(line);
  }

  #take(line: string): void {
    const [, timestamp, type] = head.exec(line) ?? [];
    if (timestamp === undefined) return;
    this.#options.take(Number(timestamp), line);
    const size = type === metaType ? sizeIn(line) : undefined;
    if (size) this.#options.sized(size);
  }

  /** @returns false when the page has sent too much in the last seconds */
  #count(characters: number): boolean {
    const { charactersPerSecond, overSeconds, messageCharacters } = replayLimits;
    const second = Math.floor(now() / 1_000);
    const seconds = this.#seconds;
    const current = seconds.at(-1);
    if (current?.second === second) current.characters += characters;
    else seconds.push({ second, characters });
    while ((seconds[0]?.second ?? second) <= second - overSeconds) seconds.shift();
    const all = seconds.reduce((sum, each) => sum + each.characters, 0);
    return characters <= messageCharacters + 1 && all <= charactersPerSecond * overSeconds;
  }

  #end(why: string): void {
    ignoreFailures([this.stop()]);
    this.#options.stopped(why);
  }
}

/** Reads the size from a line, which may contain anything: clients have access to all worlds of their pages. */
function sizeIn(line: string): { width: number; height: number } | undefined {
  const event = tryParseJson(line);
  if (!isPlainObject(event) || !isPlainObject(event['data'])) return undefined;
  const { width, height } = event['data'];
  return typeof width === 'number' && typeof height === 'number' ? { width, height } : undefined;
}

const files = new BuiltFiles<FilesManifest>(builtFolder('recorder'));
let texts: Promise<{ noTraces: string; recorder: string }> | undefined;

/**
 * Returns the script for the isolated world of each document. Only the main frame's script records, including its
 * frames.
 * @throws Error when the script is not built
 */
async function recorderScript(settings: RecorderSettings): Promise<string> {
  const { noTraces, recorder } = await (texts ??= readScripts());
  return `${noTraces}\nif (self === top && !globalThis.browserdRecorder) {${recorder}\nbrowserdRecorder.start(${JSON.stringify(settings)})}`;
}

async function readScripts(): Promise<{ noTraces: string; recorder: string }> {
  try {
    const [noTraces, recorder] = await Promise.all(['/no-traces.js', '/recorder.js'].map(readScript));
    return { noTraces: noTraces ?? '', recorder: recorder ?? '' };
  } catch (error) {
    // The script may have been built by the next call.
    texts = undefined;
    throw error;
  }
}

async function readScript(path: string): Promise<string> {
  const file = (await files.manifest())?.files[path];
  if (!file) throw new Error('The page recorder is not built: run npm run build');
  return files.text(file);
}
