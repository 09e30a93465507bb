/** Takes the values of stored secrets out of texts: those of answers, and the addresses that rules compare. */

/**
 * The text with `***` in place of each secret, in every form in which addresses write it.
 * @param sent parts that stay as they are
 */
export function masked(text: string, secrets: ReadonlySet<string>, sent: readonly string[] = []): string {
  const known = secrets.size === 0 ? [] : sent.flatMap((each) => placesOf(each, text));
  const places = [...secrets]
    .flatMap(formsOf)
    .flatMap((form) => placesOf(form, text))
    .filter(({ from, to }) => !known.some((place) => place.from <= from && to <= place.to));
  places.sort((a, b) => a.from - b.from);
  let left = '';
  let end = 0;
  for (const { from, to } of places) {
    // One secret may begin within another.
    if (from >= end) left += `${text.slice(end, from)}***`;
    end = Math.max(end, to);
  }
  return left + text.slice(end);
}

/** Where a form of a secret stands in the text, also within itself. */
function placesOf(form: string, text: string): { from: number; to: number }[] {
  const places: { from: number; to: number }[] = [];
  for (let from = text.indexOf(form); from >= 0; from = text.indexOf(form, from + 1)) {
    places.push({ from, to: from + form.length });
  }
  return places;
}

/** A request for rules that were set before a secret was filled in, which must not tell it either. */
export function maskedRequest<Request extends { url: string }>(
  request: Request,
  secrets: ReadonlySet<string>,
): Request {
  return secrets.size === 0 ? request : { ...request, url: masked(request.url, secrets) };
}

/** How a text and its addresses may write a secret. */
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
