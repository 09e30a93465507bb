/**
 * Leniently checks whether the Content-Type and Accept headers of a request match a route. A mismatch results in a 404.
 */
import { ServiceError } from '../../../base/errors.ts';
import { accepts } from '../../../base/runtime/http/accept.ts';
import { type RouteResponse, typesOf } from '../../../base/schema/response/responses.ts';

/** The part of an endpoint's input and output that headers describe. */
export interface Negotiation {
  name: string;
  answers: readonly RouteResponse[];
  /** True when the body may be JavaScript. */
  readsCode?: boolean;
}

const codeType = 'application/javascript';

/** True when the body of a request is JavaScript. */
export function isCode(request: Request): boolean {
  return mediaType(request.headers.get('content-type') ?? '') === codeType;
}

/** @throws ServiceError `not-found` with a message that names the header and its expected value */
export function requireMatch(route: Negotiation, request: Request): void {
  const contentType = mediaType(request.headers.get('content-type') ?? '');
  const code = route.readsCode === true;
  if (contentType !== 'application/json' && !(code && contentType === codeType)) {
    throw new ServiceError(
      'not-found',
      `Not Found: POST /${route.name} accepts ${code ? 'code as JSON or JavaScript' : 'a JSON body'}. Send it with Content-Type: application/json` +
        `${code ? ` or ${codeType}` : ''}${contentType ? `, not ${contentType.slice(0, 100)}` : ''}.`,
    );
  }
  const accept = request.headers.get('accept');
  const types = typesOf(route.answers);
  if (accept !== null && !accepts(accept, types)) {
    throw new ServiceError(
      'not-found',
      `Not Found: POST /${route.name} returns ${types.join(', ')}. Send one of them in Accept, or omit the header.`,
    );
  }
}

function mediaType(header: string): string {
  return header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
