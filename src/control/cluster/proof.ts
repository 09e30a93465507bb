/**
 * Uses CLUSTER_SECRET to sign the information that the servers in a cluster give about themselves: the URL that a
 * server writes to Valkey, and its response to another server's first request. Nothing else is sent to a server before
 * it has proven itself this way.
 */
import * as v from 'valibot';
import { hmacOf, isHmacOf } from '../../base/runtime/crypto/hashes.ts';
import { isNodeName } from '../../base/runtime/ids.ts';

/** The information that a server gives about itself. */
export interface Introduction {
  /** Its name. */
  node: string;
  /**
   * Where it listens besides NODE_URL: pages must not reach it there either. Each entry is an IP address and a port.
   */
  listens: string[];
}

const introductionSchema = v.object({
  node: v.pipe(v.string(), v.check(isNodeName)),
  listens: v.pipe(v.array(v.pipe(v.string(), v.regex(/^[\da-f:.]{2,45} \d{1,5}$/i))), v.maxLength(64)),
  proof: v.string(),
});

/**
 * The signed text. The origin keeps an impostor from relaying the response of a real server.
 * @param nonce the nonce of the requesting server
 */
const introductionText = (nonce: string, origin: string, { node, listens }: Introduction) =>
  ['introduction', nonce, origin, node, ...listens].join('\n');

/** @param origin the origin of NODE_URL */
export function signIntroduction(secret: string, nonce: string, origin: string, introduction: Introduction): object {
  return { ...introduction, proof: hmacOf(secret, introductionText(nonce, origin, introduction)) };
}

/**
 * Reads a response; returns undefined unless a server that has the secret created it for this nonce, at this origin.
 */
export function readIntroduction(
  secret: string,
  nonce: string,
  origin: string,
  response: unknown,
): Introduction | undefined {
  const { success, output } = v.safeParse(introductionSchema, response);
  if (!success) return undefined;
  const { proof, ...introduction } = output;
  return isHmacOf(secret, introductionText(nonce, origin, introduction), proof) ? introduction : undefined;
}

const addressText = (node: string, { origin }: URL) => `address\n${node}\n${origin}`;

/** The URL of a server as stored in Valkey: the signature is its fragment. */
export function signAddress(secret: string, node: string, address: string): string {
  const url = new URL(address);
  return `${url.origin}/#${hmacOf(secret, addressText(node, url))}`;
}

/** The URL that the server with this name has signed; undefined for anything else. */
export function readAddress(secret: string, node: string, text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' || !isHmacOf(secret, addressText(node, url), url.hash.slice(1))) return undefined;
  return new URL(url.origin);
}
