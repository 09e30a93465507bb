/**
 * Runs inside the page that hosts the code of a request: connects Puppeteer to the server, runs the code and describes
 * its result. The code shares the page and can tamper with everything here, so the server validates every message.
 */

/** Methods that the server calls; one object for the lifetime of the page. */
export interface HostRuntime {
  /** Connects Puppeteer and opens the page that the code receives. @param sized false to use the size of its window */
  open(sized: boolean): Promise<void>;
  /** Passes CDP messages from the browser to Puppeteer. */
  receive(messages: string[]): void;
  /** Runs the code; reports its outcome with `send('r…')`. */
  run(code: string, context: unknown, viewport: unknown): void;
  /** Returns the next chunk of a long result as base64. */
  pull(): Promise<{ data: string; done: boolean }>;
}

interface Transport {
  onmessage?: (message: string) => void;
  send(message: string): void;
  close(): void;
}

interface CodePage {
  setViewport(viewport: unknown): Promise<void>;
}

interface HostOptions {
  readonly knownTypes: readonly string[];
  readonly messageCharacters: number;
  readonly escapes: number;
}

type Connect = (options: {
  transport: Transport;
  defaultViewport: object | null;
  protocolTimeout: number;
}) => Promise<{ newPage(): Promise<CodePage> }>;

/**
 * @param bindingName the global function that sends to the server; it is deleted before any code runs
 * @param connect the Puppeteer.connect function
 * @param options.knownTypes media types, in lowercase, that `{ data, type }` with text may specify besides text and XML
 *   types
 * @param options.messageCharacters the length of the longest message that the server reads
 * @param options.escapes the maximum number of characters per message that need JSON escaping
 */
export function startHost(
  bindingName: string,
  connect: Connect,
  { knownTypes, messageCharacters, escapes }: HostOptions,
): HostRuntime {
  // Saved now, because the code may replace it later.
  const { stringify } = JSON;
  // The types do not declare the browser's binding.
  const globals = globalThis as unknown as Record<string, (text: string) => void>;
  const binding = globals[bindingName];
  delete globals[bindingName];
  const send = (text: string) => binding?.(text);
  const chunkBytes = 2 ** 20;
  const inlineCharacters = 2 ** 18;
  // Enough bytes to detect their content type.
  const sampleBytes = 2 ** 13;
  const encoder = new TextEncoder();
  const fileName = 'function.js';
  let page: CodePage;
  let chunks: AsyncIterator<Uint8Array, unknown> | undefined;

  const transport: Transport = {
    send: (message) => (isReadable(message) ? send(`c${message}`) : refuse(message)),
    close: () => {},
  };

  for (const level of ['debug', 'log', 'info', 'warn', 'error', 'trace'] as const) {
    let lines = 0;
    console[level] = (...values: unknown[]) => {
      // The server has the same limits; checking them here too avoids sending messages it would drop.
      if (lines++ < 1_000) send(`l${stringify([level, values.map(show).join(' ').slice(0, 2_000)])}`);
    };
  }
  send('h');

  return {
    async open(sized) {
      const browser = await connect({
        transport,
        defaultViewport: sized ? { width: 800, height: 600 } : null,
        protocolTimeout: 0,
      });
      page = await browser.newPage();
    },
    receive(messages) {
      for (const message of messages) transport.onmessage?.(message);
    },
    run(code, context, viewport) {
      void outcomeOf(code, context, viewport).then((outcome) => {
        const text = stringify(outcome);
        send(
          `r${isReadable(text) ? text : stringify(failure(new Error('The result has too many special characters.')))}`,
        );
      });
    },
    async pull() {
      const next = await chunks?.next();
      return next === undefined || next.done ? { data: '', done: true } : { data: toBase64(next.value), done: false };
    },
  };

  function isReadable(message: string): boolean {
    if (message.length <= escapes) return true;
    if (message.length > messageCharacters) return false;
    let count = 0;
    for (let at = 0; at < message.length; at++) {
      const code = message.charCodeAt(at);
      // Quotes, backslashes, control characters and non-ASCII characters.
      if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) count++;
    }
    return count <= escapes;
  }

  function refuse(message: string): void {
    const { id, sessionId } = JSON.parse(message) as { id: number; sessionId?: string }; // Puppeteer wrote it.
    const reason = `The message is longer than ${messageCharacters} characters, or has more than ${escapes} special characters: send less data at a time`;
    const response = stringify({ id, sessionId, error: { code: -32_000, message: reason } });
    queueMicrotask(() => transport.onmessage?.(response));
  }

  async function outcomeOf(code: string, context: unknown, viewport: unknown): Promise<object> {
    try {
      if (viewport) await page.setViewport(viewport);
      const main = await load(code);
      return await describe(await main({ page, context }));
    } catch (error) {
      return failure(error);
    }
  }

  async function load(code: string): Promise<(call: object) => unknown> {
    const blob = new Blob([code, `\n//# sourceURL=${fileName}`], { type: 'text/javascript' });
    const url = URL.createObjectURL(blob);
    let module: Record<string, unknown>;
    try {
      module = await import(url);
    } catch (error) {
      throw error instanceof SyntaxError ? await withLocation(error, blob) : error;
    }
    const main = module['default'];
    if (typeof main === 'function') return (call) => main(call);
    const found = 'default' in module ? `its default export is ${typeof main}` : 'it has no default export';
    throw new TypeError(
      `The code is not a function: ${found}. Write export default async function ({ page, context }) { … }`,
    );
  }

  // The line of a syntax error in a module is reported only to the window, when a script element loads the module.
  async function withLocation(error: SyntaxError, blob: Blob): Promise<unknown> {
    const position = await new Promise<ErrorEvent | undefined>((resolve) => {
      const script = document.createElement('script');
      script.type = 'module';
      const onError = (event: ErrorEvent) => {
        event.preventDefault();
        removeEventListener('error', onError);
        resolve(event);
      };
      addEventListener('error', onError);
      const ended = () => setTimeout(() => resolve(undefined));
      script.addEventListener('load', ended);
      script.addEventListener('error', ended);
      script.src = URL.createObjectURL(blob);
      document.head.append(script);
    });
    // The syntax error may be in an imported library: then the line is not part of the code.
    if (!position?.lineno || !(position.filename === fileName || position.filename.startsWith('blob:'))) return error;
    return { name: error.name, message: error.message, stack: `${fileName}:${position.lineno}:${position.colno}` };
  }

  async function describe(value: unknown): Promise<object> {
    if (value === undefined || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') {
      return { kind: 'plain', body: `${String(value)}\n` };
    }
    if (typeof value === 'string') return asText(/^\s*</.test(value) ? 'html' : 'plain', value);
    const bytes = bytesOf(value);
    if (bytes) return begin('bytes', bytes, value instanceof Blob ? value.type : undefined);
    if (typeof value === 'object' && value !== null && 'data' in value && 'type' in value) {
      // An object with `type` and bytes in `data` is a response of that content type. So is an object with only these
      // two properties and text of a known type; other pairs are plain JSON.
      const data = bytesOf(value.data);
      if (data) return begin('bytes', data, String(value.type));
      const typed = Object.keys(value).length === 2 ? typedText(value.data, value.type) : undefined;
      if (typed) return begin('bytes', chunksOf(typed.bytes), typed.type);
    }
    const json: string | undefined = stringify(value, null, 2);
    if (json === undefined) throw new TypeError(`The code returned a ${typeof value}, which cannot be sent`);
    return asText('json', json);
  }

  // Text is sent as UTF-8; for image, PDF and similar types it is base64 of the bytes.
  function typedText(data: unknown, type: unknown): { bytes: Uint8Array; type: string } | undefined {
    if (typeof data !== 'string' || typeof type !== 'string') return undefined;
    const name = (type.split(';', 1)[0] ?? '').trim().toLowerCase();
    if (/[/+]json$/.test(name)) return undefined;
    if (/^(text\/[\w.+-]+|[\w.-]+\/([\w.-]+\+)?xml|application\/(x-)?javascript)$/.test(name)) {
      return { bytes: encoder.encode(data), type: `${type.replace(/;\s*charset=[^;]*/i, '')}; charset=UTF-8` };
    }
    if (!knownTypes.includes(name)) return undefined;
    try {
      return { bytes: Uint8Array.from(atob(data), (char) => char.charCodeAt(0)), type };
    } catch {
      return undefined;
    }
  }

  async function asText(kind: string, value: string): Promise<object> {
    if (value.length <= inlineCharacters) return { kind, body: `${value}\n` };
    return begin(kind, chunksOf(encoder.encode(`${value}\n`)), undefined);
  }

  // Sends the first chunk with the description: the server can detect its type, and a failure can still be reported as
  // an error.
  async function begin(kind: string, source: AsyncIterable<Uint8Array>, type: string | undefined): Promise<object> {
    const iterator = source[Symbol.asyncIterator]();
    const first: Uint8Array[] = [];
    let length = 0;
    let done = false;
    while (!done && length < sampleBytes) {
      const next = await iterator.next();
      done = next.done === true;
      if (next.done) break;
      first.push(next.value);
      length += next.value.length;
    }
    chunks = iterator;
    const sample = new Uint8Array(length);
    let offset = 0;
    for (const chunk of first) {
      sample.set(chunk, offset);
      offset += chunk.length;
    }
    return { kind, data: toBase64(sample), done, type };
  }

  function bytesOf(value: unknown): AsyncIterable<Uint8Array> | undefined {
    if (ArrayBuffer.isView(value)) return chunksOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    if (value instanceof ArrayBuffer) return chunksOf(new Uint8Array(value));
    if (value instanceof Blob) return blobChunks(value);
    return value instanceof ReadableStream ? streamChunks(value) : undefined;
  }

  async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }

  async function* blobChunks(blob: Blob): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < blob.size; at += chunkBytes) {
      yield new Uint8Array(await blob.slice(at, at + chunkBytes).arrayBuffer());
    }
  }

  async function* streamChunks(stream: ReadableStream<unknown>): AsyncGenerator<Uint8Array> {
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (typeof value === 'string') yield* chunksOf(encoder.encode(value));
      else if (value instanceof ArrayBuffer) yield* chunksOf(new Uint8Array(value));
      else if (ArrayBuffer.isView(value)) {
        yield* chunksOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      } else
        throw new TypeError(`The stream contains a value of type ${typeof value}; only text and bytes are allowed`);
    }
  }

  function toBase64(bytes: Uint8Array): string {
    // Browsers before 2025 have no Uint8Array.prototype.toBase64.
    const { toBase64: encode }: { toBase64?: () => string } = bytes;
    if (encode) return encode.call(bytes);
    let binary = '';
    for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192));
    return btoa(binary);
  }

  // Reading a thrown value may throw: its getters and toString belong to the code.
  function failure(error: unknown): object {
    let message = 'The code threw something that cannot be described';
    let line: number | undefined;
    let column: number | undefined;
    try {
      const isError = typeof error === 'object' && error !== null && 'message' in error;
      message = isError ? String(error.message) : show(error);
      const stack = isError && 'stack' in error ? String(error.stack) : '';
      const position = /function\.js:(\d+):(\d+)/.exec(stack);
      if (position) [line, column] = [Number(position[1]), Number(position[2])];
    } catch {
      // Keep the default message.
    }
    return { kind: 'failed', message: message.slice(0, 10_000), line, column };
  }

  function show(value: unknown): string {
    if (typeof value === 'string') return value;
    try {
      if (value instanceof Error) return String(value.stack ?? value.message);
      return typeof value === 'object' && value !== null ? (stringify(value) ?? String(value)) : String(value);
    } catch {
      return `[${typeof value}]`;
    }
  }
}
