/** Reads Ed25519 keys (RFC 8037) and signs with them (RFC 8032). */
import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { sha256 } from './hashes.ts';

/** The members of a private JSON Web Key that make an Ed25519 key, in the URL-safe Base64 of RFC 7515. */
export interface Ed25519Key {
  /** The private key: a secret. */
  readonly d: string;
  /** The public key. */
  readonly x: string;
}

/** Length of a private and of a public key in bytes (RFC 8032 section 5.1.5). */
const keyBytes = 32;

/** The bytes before the 32-byte private key in PKCS #8 (RFC 8410 section 7), a form that every runtime reads. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Reads a private key.
 * @returns undefined when the text is not the private key of an Ed25519 pair, or when `x` does not belong to `d`
 */
export function parseEd25519Jwk(text: string): Ed25519Key | undefined {
  const { kty, crv, d, x } = membersOf(text);
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof d !== 'string' || typeof x !== 'string') return undefined;
  if (!isKey(d) || !isKey(x) || publicPartOf(d) !== x) return undefined;
  return { d, x };
}

/** The bytes before the 32-byte public key in SubjectPublicKeyInfo (RFC 8410 section 4). */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Reads a public key: a JSON Web Key, the member `x` of one, or PEM (RFC 7468).
 * @returns the key in the URL-safe Base64 of RFC 7515; undefined for anything else, including a private key
 */
export function parseEd25519Public(text: string): string | undefined {
  if (isKey(text)) return text;
  const [, pem] = /^-----BEGIN PUBLIC KEY-----([\sA-Za-z0-9+/=]+)-----END PUBLIC KEY-----$/.exec(text) ?? [];
  if (pem !== undefined) {
    const der = Buffer.from(pem, 'base64');
    const key = der.subarray(spkiHead.length).toString('base64url');
    return der.subarray(0, spkiHead.length).equals(spkiHead) && isKey(key) ? key : undefined;
  }
  const { kty, crv, x, d } = membersOf(text);
  const fits = kty === 'OKP' && crv === 'Ed25519' && d === undefined && typeof x === 'string' && isKey(x);
  return fits ? x : undefined;
}

/** Returns a function that signs bytes with the key. */
export function ed25519Signer({ d }: Pick<Ed25519Key, 'd'>): (bytes: Uint8Array) => Uint8Array {
  const key = privateKey(d);
  return (bytes) => sign(null, bytes, key);
}

/** The thumbprint of the public key (RFC 7638, as RFC 8037 applies it), which others use as its name. */
export function thumbprintOf({ x }: Pick<Ed25519Key, 'x'>): string {
  // The members that the RFCs require, in their order, without whitespace.
  const canonical = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return Buffer.from(sha256(canonical)).toString('base64url');
}

/** The members of a JSON object; empty for any other text. */
function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === keyBytes && bytes.toString('base64url') === text;
}

function privateKey(d: string): KeyObject {
  const der = Buffer.concat([pkcs8Head, Buffer.from(d, 'base64url')]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

function publicPartOf(d: string): string {
  const spki = createPublicKey(privateKey(d)).export({ format: 'der', type: 'spki' });
  return spki.subarray(spki.length - keyBytes).toString('base64url');
}
