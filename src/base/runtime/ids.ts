/**
 * Creates the ids of browsers, sessions, live views, links and sign-ins. In a cluster they start with the name of the
 * server, so that every other server knows from the id where it belongs: `<name>-<UUID>`. Otherwise they are plain
 * UUIDs.
 */
import { makeKey, toBase64Url } from './bytes.ts';

/** RFC 4648 section 6, in lowercase. */
const letters = 'abcdefghijklmnopqrstuvwxyz234567';
const nameLength = 6;
const idPattern = /^([a-z2-7]{6})-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const keyPattern = /^([a-z2-7]{6})-(?:[\w-]{24}|[\w-]{43})$/;

/**
 * Creates a server name for the lifetime of the process: random letters. After a restart the name differs, and the old
 * ids no longer exist.
 * @param prefix fixed letters at the start, by which a load balancer recognizes the server
 */
export function makeNodeName(prefix = ''): string {
  const bytes = crypto.getRandomValues(new Uint8Array(nameLength - prefix.length));
  return prefix + Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
}

export function isNodeName(text: string): boolean {
  return /^[a-z2-7]{6}$/.test(text);
}

/** The name of the server that created the id of a browser or session; undefined for an id without one. */
export function nodeOf(id: string): string | undefined {
  return idPattern.exec(id)?.[1];
}

/** Like `nodeOf`, for the key of a live view, a link or a sign-in. */
export function nodeOfKey(key: string): string | undefined {
  return keyPattern.exec(key)?.[1];
}

export class Ids {
  readonly #prefix: string;

  /** @param node the name of this server in its cluster; undefined if there is none */
  constructor(node: string | undefined) {
    this.#prefix = node === undefined ? '' : `${node}-`;
  }

  /** Creates the id of a browser or session. */
  make(): string {
    return `${this.#prefix}${crypto.randomUUID()}`;
  }

  /** Creates the key of a live view or of a link to a recording: anyone who knows it may watch. */
  makeKey(): string {
    return `${this.#prefix}${makeKey()}`;
  }

  /** Creates the secret of a sign-in: 256 bits. */
  makeSecret(): string {
    return `${this.#prefix}${toBase64Url(crypto.getRandomValues(new Uint8Array(32)))}`;
  }
}
