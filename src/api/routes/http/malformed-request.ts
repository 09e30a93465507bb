/** Refuses malformed requests before a route reads them. */
import { ServiceError } from '../../../base/errors.ts';

const withoutBody: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/**
 * The error for a request whose method has no body but whose headers announce one (RFC 9110 section 9.3: a different
 * server might not read it); undefined for all other requests.
 */
export function announcedBody({ method, headers }: Request): ServiceError | undefined {
  const length = headers.get('content-length');
  const announces = headers.has('transfer-encoding') || (length !== null && !/^0+$/.test(length.trim()));
  if (!announces || !withoutBody.includes(method)) return undefined;
  return new ServiceError(
    'bad-request',
    `A ${method} request cannot have a body: leave out Content-Length and Transfer-Encoding, or send it as POST.`,
  );
}

/** The error for a path that cannot be decoded; undefined for all other paths. */
export function brokenPath(path: string): ServiceError | undefined {
  if (!path.includes('%')) return undefined;
  try {
    decodeURIComponent(path);
    return undefined;
  } catch {
    return new ServiceError(
      'bad-request',
      `The path ${path.slice(0, 200)} cannot be decoded: a percent sign must be followed by two hexadecimal digits, and the bytes must be UTF-8. Write "%25" for a literal percent sign.`,
    );
  }
}
