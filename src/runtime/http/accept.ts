/** What a client wants to get: Accept and Accept-Encoding (RFC 9110 section 12.5), read by negotiator. */
import Negotiator from 'negotiator';

/**
 * The media types that an Accept header names with a weight above 0, preferred ones first, in lower case and without
 * parameters. Wildcards stay as they are; what is no media type is left out.
 */
export function namedTypes(accept: string | null | undefined): string[] {
  const headers = { accept: accept ?? '' };
  return new Negotiator({ headers }).mediaTypes().map((type) => type.toLowerCase());
}

/** The type that an Accept header names outright and likes best of these; undefined for wildcards. */
export function namedType(accept: string | null, types: readonly string[]): string | undefined {
  return namedTypes(accept).find((named) => types.includes(named));
}

/** True when an Accept header allows one of the types; wildcards are understood on both sides, an empty header is one. */
export function accepts(accept: string, types: readonly string[]): boolean {
  if (accept.trim() === '' || types.includes('*/*')) return true;
  // Without parameters: negotiator would refuse "application/json; charset=utf-8", which the types here do not repeat.
  const headers = { accept: namedTypes(accept).join() };
  return new Negotiator({ headers }).mediaTypes(types).length > 0;
}

/** The types of negotiator do not know the second argument yet. */
interface EncodingReader {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
}

const encodings = ['br', 'gzip', 'identity'] as const;

/** The compression that a client prefers, Brotli when it does not mind; undefined for none. */
export function preferredEncoding(acceptEncoding: string | null): 'br' | 'gzip' | undefined {
  const reader: EncodingReader = new Negotiator({ headers: { 'accept-encoding': acceptEncoding ?? '' } });
  const encoding = reader.encoding(encodings, { preferred: encodings });
  return encoding === 'br' || encoding === 'gzip' ? encoding : undefined;
}
