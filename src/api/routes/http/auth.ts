/** Reads the token of a request and compares it with the accepted tokens (compatibility.mdx#tokens). */
import { equalInConstantTime } from '../../../base/runtime/http/server.ts';
import { toHex } from '../../../base/runtime/bytes.ts';

/**
 * The credential of a request. A non-empty `token` parameter is treated as `Authorization: Bearer`, unless the request
 * has an Authorization header: the header wins.
 */
export function credentialOf(authorization: string | null, query: URLSearchParams): string | undefined {
  if (authorization === null) return query.get('token') || undefined;
  if (authorization.startsWith('Bearer ')) return authorization.slice('Bearer '.length);
  // Hono's `auth` is not used: it also accepts the scheme in other letter cases, and reads the pair as UTF-8 instead of
  // Latin-1.
  if (!authorization.startsWith('Basic ')) return undefined;
  let pair: string;
  try {
    pair = atob(authorization.slice('Basic '.length).trim());
  } catch {
    return undefined;
  }
  // `T:` and `:T` are accepted; a username next to the token is not.
  const [user = '', password = ''] = [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)];
  if (!pair.includes(':') || (user !== '' && password !== '')) return undefined;
  return user || password || undefined;
}

/** The token in the query or in a Bearer header, neither of which a browser adds automatically. */
export function bearerOf(headers: Headers, query: URLSearchParams): string | undefined {
  const authorization = headers.get('authorization');
  if (authorization?.startsWith('Bearer ')) return authorization.slice('Bearer '.length);
  return query.get('token') || undefined;
}

/**
 * True if the credential is one of the tokens. Compares all of them, so that the time taken does not reveal which one
 * was close.
 */
export function isToken(credential: string | undefined, tokens: readonly string[]): boolean {
  return tokens.filter((token) => equalInConstantTime(credential ?? '', token)).length > 0 && credential !== undefined;
}

const accounts = new Map<string, Promise<string>>();

/**
 * A label for the client in metrics, stable across restarts. It does not help to guess the token, because each guess
 * would cost as much as this derivation. `open` when the server requires no token.
 */
export function accountOf(credential: string | undefined, tokens: readonly string[]): Promise<string> {
  if (tokens.length === 0 || credential === undefined) return Promise.resolve('open');
  const account = accounts.get(credential) ?? deriveAccount(credential);
  accounts.set(credential, account);
  return account;
}

const accountBits = 40;

async function deriveAccount(token: string): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey('raw', encode(token), 'PBKDF2', false, ['deriveBits']);
  const method = { name: 'PBKDF2', hash: 'SHA-256', salt: encode('browserd account'), iterations: 200_000 };
  return toHex(new Uint8Array(await crypto.subtle.deriveBits(method, key, accountBits)));
}
