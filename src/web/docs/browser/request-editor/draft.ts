/**
 * A request as the reader writes it. The playground encodes it in a URL fragment, which browsers never send to a
 * server; a link only fills in the playground, and the reader must still press Run.
 */
/** The kinds of requests that the request editor sends. */
export type RequestKind = 'rest' | 'bql' | 'code';

export interface Draft {
  kind: RequestKind;
  /** Path of the route: one of those that the request editor offers. */
  route: string;
  /** JSON body, BrowserQL document or module. */
  text: string;
  /** JSON: variables of the document, or context of the module. */
  variables: string;
  /** Query parameters. */
  options: Readonly<Record<string, string>>;
}

/** Limits on the draft in a link, in characters: uncompressed, and compressed into the URL. */
const maxCharacters = 100_000;
const maxFragment = 60_000;
const version = 'v1.';

/** @throws Error when the result has more bytes than `limit` */
async function pipeThrough(bytes: Uint8Array<ArrayBuffer>, by: TransformStream, limit: number): Promise<Uint8Array> {
  const reader: ReadableStreamDefaultReader<Uint8Array> = new Blob([bytes]).stream().pipeThrough(by).getReader();
  const all: number[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Uint8Array.from(all);
    if (all.length + value.length > limit) {
      await reader.cancel();
      throw new Error('too long');
    }
    for (const byte of value) all.push(byte);
  }
}

/** @throws Error when the draft is too long for a URL */
export async function fragmentOf(draft: Draft): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(draft));
  const packed = await pipeThrough(bytes, new CompressionStream('deflate-raw'), maxFragment).catch(() => undefined);
  if (packed === undefined || bytes.length > maxCharacters) {
    throw new Error('This request is too long for a link. Copy it as code instead.');
  }
  const base64 = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(''));
  return `#${version}${base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}

/** Whether a fragment looks like one from the request editor. */
export const isShared = (fragment: string): boolean => fragment.startsWith(`#${version}`);

/** Returns the draft in a fragment; undefined for anything that the request editor did not create. */
export async function draftIn(fragment: string): Promise<Draft | undefined> {
  if (!isShared(fragment) || fragment.length > 2 * maxFragment) return undefined;
  try {
    const base64 = fragment
      .slice(version.length + 1)
      .replaceAll('-', '+')
      .replaceAll('_', '/');
    const packed = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const bytes = await pipeThrough(packed, new DecompressionStream('deflate-raw'), maxCharacters);
    return checked(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch {
    return undefined;
  }
}

/** @throws TypeError for `null` */
function checked({ kind, route, text, variables, options }: Record<string, unknown>): Draft | undefined {
  if (kind !== 'rest' && kind !== 'bql' && kind !== 'code') return undefined;
  if (typeof route !== 'string' || typeof text !== 'string' || typeof variables !== 'string') return undefined;
  if (typeof options !== 'object' || options === null) return undefined;
  const pairs = Object.entries(options).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return { kind, route, text, variables, options: Object.fromEntries(pairs) };
}
