/**
 * Turns messages of the Console domain, which pages cannot detect, into `Runtime.consoleAPICalled` events. The domain
 * reports only text: arguments that were objects are lost.
 */
import type { ShieldLimits } from './limits.ts';

interface ConsoleMessage {
  source: string;
  level: string;
  text: string;
  url?: string;
  line?: number;
  column?: number;
}

export class ConsoleRelay {
  readonly #limits: ShieldLimits;
  readonly #emit: (params: object) => void;
  /** Messages that arrived while no context was known. */
  #kept: ConsoleMessage[] = [];
  #keptCharacters = 0;

  /** @param emit sends `Runtime.consoleAPICalled` */
  constructor(limits: ShieldLimits, emit: (params: object) => void) {
    this.#limits = limits;
    this.#emit = emit;
  }

  /**
   * @param text a `Console.messageAdded` event of the browser
   * @param context the main context of the session's main frame; messages are kept while it is not known
   */
  hear(text: string, context: number | undefined): void {
    const { params } = JSON.parse(text) as { params: { message: ConsoleMessage } }; // The browser wrote it.
    const { message } = params;
    if (message.source !== 'console-api') return;
    if (context !== undefined) return this.#tell(message, context);
    const { keptMessages, keptCharacters } = this.#limits;
    if (this.#kept.length >= keptMessages || this.#keptCharacters + message.text.length > keptCharacters) return;
    this.#kept.push(message);
    this.#keptCharacters += message.text.length;
  }

  /** Emits the kept messages once their context is known. */
  flush(context: number): void {
    const kept = this.#kept;
    this.forget();
    for (const message of kept) this.#tell(message, context);
  }

  /** Drops the kept messages. */
  forget(): void {
    this.#kept = [];
    this.#keptCharacters = 0;
  }

  #tell({ level, text, url = '', line = 1, column = 1 }: ConsoleMessage, executionContextId: number): void {
    this.#emit({
      type: level,
      args: [{ type: 'string', value: text }],
      executionContextId,
      timestamp: Date.now(),
      stackTrace: {
        callFrames: [{ functionName: '', scriptId: '0', url, lineNumber: line - 1, columnNumber: column - 1 }],
      },
    });
  }
}
