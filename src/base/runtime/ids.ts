/**
 * Makes the ids of browsers, sessions, live views, links and sign-ins. On a server of a cluster they begin with its name, so that every
 * other server knows from an id alone where it belongs: `<name>-<UUID>`. Elsewhere they are the UUID alone.
 */
import { makeKey, toBase64Url } from './bytes.ts';

/** RFC 4648 section 6, in lower case. */
const letters = 'abcdefghijklmnopqrstuvwxyz234567';
const nameLength = 6;
const idPattern = /^([a-z2-7]{6})-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const keyPattern = /^([a-z2-7]{6})-(?:[\w-]{24}|[\w-]{43})$/;

/**
 * A name of a server for its life: random letters. A server that starts again has another, and its old ids are gone.
 * @param prefix letters that it begins with at each start, by which a balancer knows the server
 */
export function makeNodeName(prefix = ''): string {
  const bytes = crypto.getRandomValues(new Uint8Array(nameLength - prefix.length));
  return prefix + Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
}

export function isNodeName(text: string): boolean {
  return /^[a-z2-7]{6}$/.test(text);
}

/** The name of the server that has made the id of a browser or a session; undefined for an id without one. */
export function nodeOf(id: string): string | undefined {
  return idPattern.exec(id)?.[1];
}

/** The same for a key of a live view, a link or a sign-in. */
export function nodeOfKey(key: string): string | undefined {
  return keyPattern.exec(key)?.[1];
}

export class Ids {
  readonly #prefix: string;

  /** @param node the name of this server in its cluster; undefined without one */
  constructor(node: string | undefined) {
    this.#prefix = node === undefined ? '' : `${node}-`;
  }

  /** Of a browser or a session. */
  make(): string {
    return `${this.#prefix}${crypto.randomUUID()}`;
  }

  /** Of a live view or a link to a recording: who knows it may watch. */
  makeKey(): string {
    return `${this.#prefix}${makeKey()}`;
  }

  /** Of a sign-in: 256 bits. */
  makeSecret(): string {
    return `${this.#prefix}${toBase64Url(crypto.getRandomValues(new Uint8Array(32)))}`;
  }
}
