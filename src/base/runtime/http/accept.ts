/** Reads Accept and Accept-Encoding headers (RFC 9110 section 12.5) with the negotiator library. */
import Negotiator from 'negotiator';

/**
 * The media types that an Accept header lists with a weight above 0, preferred ones first, in lowercase and without
 * parameters. Wildcards are kept as they are; invalid entries are dropped.
 */
export function namedTypes(accept: string | null | undefined): string[] {
  const headers = { accept: accept ?? '' };
  return new Negotiator({ headers }).mediaTypes().map((type) => type.toLowerCase());
}

/** The preferred type among those of `types` that an Accept header lists explicitly; undefined for wildcards. */
export function namedType(accept: string | null, types: readonly string[]): string | undefined {
  return namedTypes(accept).find((named) => types.includes(named));
}

/** True when an Accept header allows one of the types. Both may contain wildcards; an empty header allows all. */
export function accepts(accept: string, types: readonly string[]): boolean {
  if (accept.trim() === '' || types.includes('*/*')) return true;
  // Strip parameters: negotiator would not match "application/json; charset=utf-8" with "application/json".
  const headers = { accept: namedTypes(accept).join() };
  return new Negotiator({ headers }).mediaTypes(types).length > 0;
}

/** negotiator's type declarations lack the second argument. */
interface EncodingReader {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
}

const encodings = ['br', 'gzip', 'identity'] as const;

/** The compression that a client prefers, Brotli if it has no preference; undefined for none. */
export function preferredEncoding(acceptEncoding: string | null): 'br' | 'gzip' | undefined {
  const reader: EncodingReader = new Negotiator({ headers: { 'accept-encoding': acceptEncoding ?? '' } });
  const encoding = reader.encoding(encodings, { preferred: encodings });
  return encoding === 'br' || encoding === 'gzip' ? encoding : undefined;
}

/** True when a client accepts gzip, even if it prefers something else. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  return new Negotiator({ headers: { 'accept-encoding': acceptEncoding ?? '' } }).encodings(['gzip']).length > 0;
}
