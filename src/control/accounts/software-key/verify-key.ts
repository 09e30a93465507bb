/** Verifies software keys: JSON Web Tokens (RFC 7519) signed with Ed25519 (RFC 8037). */
import { errors, importJWK, jwtVerify } from 'jose';
import * as v from 'valibot';
import { softwareKeyLimits } from '../../../base/limits.ts';

/** The claims of a software key. */
export interface KeyClaims {
  /** The party that the key was issued to: the `sub` claim. */
  readonly subject: string;
  /** Epoch milliseconds: the `exp` claim. */
  readonly expiresAt: number;
  /** Name of the agreed plan, which the log and `--check` show; the `plan` claim. */
  readonly plan: string | undefined;
  /** Requests that may run at the same time, at most CONCURRENT; the `concurrent` claim. */
  readonly concurrent: number | undefined;
}

/** A software key is not valid; the message says why and what to do. It never contains the key. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
}

// The signer chooses these strings, and they are printed: a line break would start a new line of the log.
const line = v.pipe(v.string(), v.nonEmpty(), v.maxLength(softwareKeyLimits.nameCharacters), v.regex(/^[^\p{Cc}]*$/u));

const claims = v.object({
  sub: line,
  // The last second of a Date in JavaScript.
  exp: v.pipe(v.number(), v.minValue(0), v.maxValue(8_640_000_000_000)),
  plan: v.optional(line),
  concurrent: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});

/**
 * @param token the key; its signature is verified before its content is read
 * @param publicKey the public key in the URL-safe Base64 of RFC 7515
 * @param source the setting that the key comes from, for messages
 * @throws KeyError when the key is not signed with that key, lacks a claim, is not valid yet or has expired
 */
export async function verifyKey(token: string, publicKey: string, source: string): Promise<KeyClaims> {
  const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', x: publicKey }, 'EdDSA');
  const { payload } = await jwtVerify(token, key, {
    algorithms: ['EdDSA', 'Ed25519'],
    requiredClaims: ['exp', 'sub'],
  }).catch((error: unknown) => {
    if (error instanceof errors.JWTExpired) return { payload: error.payload };
    throw new KeyError(whyRefused(error, source));
  });
  const read = v.safeParse(claims, payload);
  if (!read.success) {
    const [issue] = read.issues;
    throw new KeyError(
      `The "${v.getDotPath(issue) ?? ''}" claim of the software key in ${source} is invalid: "sub" and "plan" must be single-line strings, "exp" a time in seconds, "concurrent" a whole number of at least 1. Ask the issuer for a new key.`,
    );
  }
  const { sub, exp, plan, concurrent } = read.output;
  const found = { subject: sub, expiresAt: exp * 1_000, plan, concurrent };
  if (found.expiresAt <= Date.now()) throw new KeyError(expiredMessage(found, source));
  return found;
}

/** The last message of a server whose key has expired. */
export function expiredMessage({ subject, expiresAt }: KeyClaims, source: string): string {
  return `The software key for ${subject} expired on ${dayOf(expiresAt)}. Put a new one in ${source}.`;
}

/** The day (UTC) of a time, as `2027-01-31`. @param time epoch milliseconds */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

function whyRefused(error: unknown, source: string): string {
  const ask = 'Ask the issuer for a new key.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'nbf'
      ? `The software key in ${source} is not valid yet: its "nbf" claim is in the future. Start the server later, or correct the machine's clock.`
      : `The "${error.claim}" claim of the software key in ${source} is missing or invalid. ${ask}`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return `The software key in ${source} was changed or was not signed with the private key for KEY_PUBLIC. ${ask}`;
  }
  return `${source} does not contain a software key: it must be a JSON Web Token signed with EdDSA. ${ask}`;
}
