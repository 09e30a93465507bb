/**
 * Wraps the reader's module in `/function` on the server: it streams frames of the page and console lines while the
 * module runs, then the module's result. The function is sent as text, so it must not use anything from outside itself.
 */

interface CdpSession {
  on(event: 'Page.screencastFrame', listener: (frame: { data: string; sessionId: number }) => void): void;
  send(method: string, params: object): Promise<unknown>;
}

interface CodePage {
  createCDPSession(): Promise<CdpSession>;
}

interface Given {
  page: CodePage;
  context: { code: string; context: unknown };
}

/** Media type of the stream. */
export const watchedType = 'application/vnd.browserd.watched-code';

/**
 * Returns a stream of messages: a letter, the payload length in four bytes, and the payload. `p` is padding, `f` a JPEG
 * frame, `l` a console line, `r` the type of the result, `d` a chunk of it, `x` a failure, `s` a module that could not
 * be parsed and has not run; the last four are sent only at the end.
 */
export async function runWatched({
  page,
  context,
}: Given): Promise<{ data: ReadableStream<Uint8Array>; type: string }> {
  const encoder = new TextEncoder();
  const pieceBytes = 2 ** 18;
  const queue: Uint8Array[] = [];
  let frame: { message: Uint8Array; id: number } | undefined;
  let hasFrames = false;
  let ended = false;
  let lines = 0;
  let wake: () => void = () => {};

  const message = (kind: string, payload: Uint8Array): Uint8Array => {
    const bytes = new Uint8Array(5 + payload.length);
    bytes[0] = kind.charCodeAt(0);
    new DataView(bytes.buffer).setUint32(1, payload.length);
    bytes.set(payload, 5);
    return bytes;
  };
  const put = (kind: string, payload: Uint8Array): void => {
    queue.push(message(kind, payload));
    wake();
  };
  const putJson = (kind: string, value: unknown): void => put(kind, encoder.encode(JSON.stringify(value)));
  const decode = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

  const session = await page.createCDPSession();
  session.on('Page.screencastFrame', ({ data, sessionId }) => {
    frame = { message: message('f', decode(data)), id: sessionId };
    hasFrames = true;
    wake();
  });
  const acknowledge = (sessionId: number) => {
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  };

  for (const level of ['debug', 'log', 'info', 'warn', 'error', 'trace'] as const) {
    const before = console[level];
    console[level] = (...values: unknown[]) => {
      before(...values);
      if (lines++ < 200) putJson('l', [level, values.map(shown).join(' ').slice(0, 2_000)]);
    };
  }

  // The server sends the response headers once the body has this many bytes.
  put('p', new Uint8Array(2 ** 13));
  void work().finally(() => {
    ended = true;
    wake();
  });

  const data = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (queue.length === 0 && frame === undefined && !ended) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const next = queue.shift();
        if (next !== undefined) return controller.enqueue(next);
        if (frame === undefined) return controller.close();
        controller.enqueue(frame.message);
        acknowledge(frame.id);
        frame = undefined;
      },
    },
    { highWaterMark: 0 },
  );
  return { data, type: 'application/vnd.browserd.watched-code' };

  async function work(): Promise<void> {
    const size = { maxWidth: 1_280, maxHeight: 1_024 };
    await session.send('Page.startScreencast', { format: 'jpeg', quality: 70, ...size }).catch(() => undefined);
    try {
      const main = await load();
      if (main === undefined) return putJson('s', null);
      const value = await main({ page, context: context.context });
      await lastFrame();
      await give(value);
    } catch (error) {
      await lastFrame();
      putJson('x', failure(error));
    }
  }

  async function load(): Promise<((given: object) => unknown) | undefined> {
    const blob = new Blob([context.code, '\n//# sourceURL=code.js'], { type: 'text/javascript' });
    let module: Record<string, unknown>;
    try {
      module = await import(URL.createObjectURL(blob));
    } catch (error) {
      const stack = error instanceof Error ? String(error.stack) : '';
      const isUnread = error instanceof SyntaxError || stack.startsWith('TypeError: Failed to fetch dynamically');
      // A position in the module means that it has run.
      if (isUnread && !/code\.js:\d/.test(stack)) return undefined;
      throw error;
    }
    const main = module['default'];
    if (typeof main === 'function') return (given) => main(given);
    throw new TypeError('The default export of the module is not a function. Write export default async function …');
  }

  /** Waits briefly for the frame with the final state of the page. */
  async function lastFrame(): Promise<void> {
    const until = performance.now() + (hasFrames ? 120 : 600);
    do await new Promise((resolve) => setTimeout(resolve, 40));
    while (performance.now() < until && (hasFrames || frame === undefined));
    if (frame !== undefined) queue.push(frame.message);
    frame = undefined;
    await session.send('Page.stopScreencast', {}).catch(() => undefined);
  }

  async function give(value: unknown): Promise<void> {
    const { type, bytes } = described(value);
    putJson('r', type);
    for await (const piece of piecesOf(bytes)) {
      for (let at = 0; at < piece.length; at += pieceBytes) put('d', piece.subarray(at, at + pieceBytes));
    }
  }

  /** Chooses the same types as `/function`: docs-content/rest-apis/function.mdx. */
  function described(value: unknown): { type: string; bytes: unknown } {
    if (value === undefined || ['number', 'boolean', 'bigint'].includes(typeof value))
      return { type: 'text/plain', bytes: encoder.encode(`${String(value)}\n`) };
    if (typeof value === 'string')
      return { type: /^\s*</.test(value) ? 'text/html' : 'text/plain', bytes: encoder.encode(`${value}\n`) };
    if (isBytes(value)) return { type: value instanceof Blob ? value.type : '', bytes: value };
    if (typeof value === 'object' && value !== null && 'data' in value && 'type' in value) {
      const { data: inner, type } = value;
      if (isBytes(inner)) return { type: String(type), bytes: inner };
      if (typeof inner === 'string' && typeof type === 'string' && Object.keys(value).length === 2) {
        const name = (type.split(';', 1)[0] ?? '').trim().toLowerCase();
        const isText = /^(text\/|application\/javascript$)|[/+]xml$/.test(name) && !/[/+]json$/.test(name);
        if (isText) return { type, bytes: encoder.encode(inner) };
        const isBase64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(inner);
        if (isBase64 && /^(image|audio|video|font)\/|^application\/(pdf|zip)$/.test(name))
          return { type, bytes: decode(inner) };
      }
    }
    const json: string | undefined = JSON.stringify(value, null, 2);
    if (json === undefined) throw new TypeError(`The code returned a ${typeof value}, which cannot be sent`);
    return { type: 'application/json', bytes: encoder.encode(`${json}\n`) };
  }

  // oxlint-disable-next-line unicorn/consistent-function-scoping -- sent as text, so it must be inside
  function isBytes(value: unknown): boolean {
    return (
      ArrayBuffer.isView(value) ||
      value instanceof ArrayBuffer ||
      value instanceof Blob ||
      value instanceof ReadableStream
    );
  }

  async function* piecesOf(bytes: unknown): AsyncGenerator<Uint8Array> {
    if (ArrayBuffer.isView(bytes)) yield new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    else if (bytes instanceof ArrayBuffer) yield new Uint8Array(bytes);
    else if (bytes instanceof Blob) yield new Uint8Array(await bytes.arrayBuffer());
    else if (bytes instanceof ReadableStream) {
      const reader: ReadableStreamDefaultReader<unknown> = bytes.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        if (typeof value === 'string') yield encoder.encode(value);
        else yield* piecesOf(value);
      }
    }
  }

  function failure(error: unknown): object {
    const text = error instanceof Error ? error.message : shown(error);
    const place = /code\.js:(\d+):(\d+)/.exec(error instanceof Error ? String(error.stack) : '');
    return { message: text.slice(0, 10_000), line: place && Number(place[1]), column: place && Number(place[2]) };
  }

  // oxlint-disable-next-line unicorn/consistent-function-scoping -- sent as text, so it must be inside
  function shown(value: unknown): string {
    if (typeof value === 'string') return value;
    try {
      if (value instanceof Error) return String(value.stack ?? value.message);
      return typeof value === 'object' && value !== null ? (JSON.stringify(value) ?? String(value)) : String(value);
    } catch {
      return `[${typeof value}]`;
    }
  }
}
