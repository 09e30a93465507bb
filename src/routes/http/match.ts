/** Whether a request's headers fit a route, leniently: contract section 1.1 and its `!` line. A misfit is a 404. */
import { ServiceError } from '../../errors.ts';

/** What an endpoint takes and gives, as far as headers tell. */
export interface Negotiation {
  name: string;
  answers: readonly string[];
  /** True when the body may be JavaScript. */
  readsCode?: boolean;
}

const codeType = 'application/javascript';

/** True when the body of a request is JavaScript. */
export function isCode(request: Request): boolean {
  return mediaType(request.headers.get('content-type') ?? '') === codeType;
}

/** @throws ServiceError `not-found` with a sentence that names the header and what it should be */
export function requireMatch(route: Negotiation, request: Request): void {
  const contentType = mediaType(request.headers.get('content-type') ?? '');
  const code = route.readsCode === true;
  if (contentType !== 'application/json' && !(code && contentType === codeType)) {
    throw new ServiceError(
      'not-found',
      `Not Found: POST /${route.name} takes ${code ? 'code as JSON or JavaScript' : 'a JSON body'}. Send it with Content-Type: application/json` +
        `${code ? ` or ${codeType}` : ''}${contentType ? `, not ${contentType.slice(0, 100)}` : ''}.`,
    );
  }
  const accept = request.headers.get('accept');
  if (accept !== null && !accepts(accept, route.answers)) {
    throw new ServiceError(
      'not-found',
      `Not Found: POST /${route.name} answers with ${route.answers.join(', ')}. Name one of them in Accept, or leave the header out.`,
    );
  }
}

/** True when an Accept header allows one of the types; weights are ignored, wildcards understood on both sides. */
export function accepts(accept: string, types: readonly string[]): boolean {
  if (types.includes('*/*')) return true;
  return accept
    .split(',')
    .map(mediaType)
    .some((wanted) => {
      if (wanted === '*/*' || wanted === '') return true;
      if (wanted.endsWith('/*')) return types.some((type) => type.startsWith(wanted.slice(0, -1)));
      return types.includes(wanted);
    });
}

/** The type that an Accept header names outright, when it is one of these; undefined for wildcards. */
export function namedType(accept: string | null, types: readonly string[]): string | undefined {
  return accept
    ?.split(',')
    .map(mediaType)
    .find((wanted) => types.includes(wanted));
}

function mediaType(header: string): string {
  return header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
