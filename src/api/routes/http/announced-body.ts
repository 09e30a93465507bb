/** Refuses bodies of requests that have none by their method (RFC 9110 section 9.3): another server may not read them. */
import { ServiceError } from '../../../base/errors.ts';

const withoutBody: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/** The refusal of a request whose method has no body but whose headers announce one; undefined for all others. */
export function announcedBody({ method, headers }: Request): ServiceError | undefined {
  const length = headers.get('content-length');
  const announces = headers.has('transfer-encoding') || (length !== null && !/^0+$/.test(length.trim()));
  if (!announces || !withoutBody.includes(method)) return undefined;
  return new ServiceError(
    'bad-request',
    `A ${method} request has no body: leave out Content-Length and Transfer-Encoding, or send it as POST.`,
  );
}
