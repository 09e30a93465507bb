/** Masks the values of stored secrets in response texts and in the URLs that rules match. */
import { placesIn } from '../../../base/runtime/find-text.ts';

/** A range within a string; `to` is exclusive. */
interface TextRange {
  from: number;
  to: number;
}

/**
 * Replaces each secret in a string with `***`, in every form that URLs encode it. Runs in time linear in the lengths of
 * the strings, not in their product, because a client may have chosen all of them.
 * @param sent parts that stay unmasked
 */
export function masked(text: string, secrets: ReadonlySet<string>, sent: readonly string[] = []): string {
  const places = [...secrets].flatMap(formsOf).flatMap((form) => placesOf(form, text));
  if (places.length === 0) return text;
  const inOrder = (a: TextRange, b: TextRange) => a.from - b.from;
  const known = sent.flatMap((each) => placesOf(each, text)).toSorted(inOrder);
  let left = '';
  let end = 0;
  let seen = 0;
  let knownTo = 0;
  for (const { from, to } of places.toSorted(inOrder)) {
    for (let next = known[seen]; next && next.from <= from; next = known[++seen]) knownTo = Math.max(knownTo, next.to);
    if (to <= knownTo) continue;
    // One secret may start within another.
    if (from >= end) left += `${text.slice(end, from)}***`;
    end = Math.max(end, to);
  }
  return left + text.slice(end);
}

function placesOf(form: string, text: string): TextRange[] {
  return Array.from(placesIn(text, form), (from) => ({ from, to: from + form.length }));
}

/** Masks a request for rules that were set before a secret was filled in: they must not reveal it either. */
export function maskedRequest<Request extends { url: string }>(
  request: Request,
  secrets: ReadonlySet<string>,
): Request {
  return secrets.size === 0 ? request : { ...request, url: masked(request.url, secrets) };
}

/** Returns the forms in which text and the URLs in it may contain a secret. */
function formsOf(secret: string): string[] {
  const address = new URL('http://localhost/');
  address.pathname = `/${secret}`;
  address.search = secret;
  address.hash = secret;
  const forms = [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    address.pathname.slice(1),
    address.search.slice(1),
    address.hash.slice(1),
  ];
  const quoted = forms.map((form) => form.replaceAll("'", '%27'));
  return [...new Set([...forms, ...quoted])].filter((form) => form !== '');
}
