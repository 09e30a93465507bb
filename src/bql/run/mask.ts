/** Takes the values of stored secrets out of texts: those of answers, and the addresses that rules compare. */

/** A part of a text: from one index to before another. */
interface Place {
  from: number;
  to: number;
}

/**
 * The text with `***` in place of each secret, in every form in which addresses write it. It takes time that grows with
 * the lengths of the texts, and not with their product: a caller may have chosen all of them.
 * @param sent parts that stay as they are
 */
export function masked(text: string, secrets: ReadonlySet<string>, sent: readonly string[] = []): string {
  const places = [...secrets].flatMap(formsOf).flatMap((form) => placesOf(form, text));
  if (places.length === 0) return text;
  const inOrder = (a: Place, b: Place) => a.from - b.from;
  const known = sent.flatMap((each) => placesOf(each, text)).toSorted(inOrder);
  let left = '';
  let end = 0;
  let seen = 0;
  let knownTo = 0;
  for (const { from, to } of places.toSorted(inOrder)) {
    for (let next = known[seen]; next && next.from <= from; next = known[++seen]) knownTo = Math.max(knownTo, next.to);
    if (to <= knownTo) continue;
    // One secret may begin within another.
    if (from >= end) left += `${text.slice(end, from)}***`;
    end = Math.max(end, to);
  }
  return left + text.slice(end);
}

/** Where a form stands in the text, also within itself, by the algorithm of Knuth, Morris and Pratt. */
function placesOf(form: string, text: string): Place[] {
  const places: Place[] = [];
  if (form.length > text.length) return places;
  // How much of the form goes on where one more character does not fit, by how much of it did.
  const shorter = new Uint32Array(form.length + 1);
  const fitting = (length: number, character: string | undefined): number => {
    let fits = length;
    while (fits > 0 && form[fits] !== character) fits = shorter[fits] ?? 0;
    return form[fits] === character ? fits + 1 : 0;
  };
  for (let index = 1; index < form.length; index++) {
    shorter[index + 1] = fitting(shorter[index] ?? 0, form[index]);
  }
  let fits = 0;
  for (let index = 0; index < text.length; index++) {
    fits = fitting(fits, text[index]);
    if (fits === form.length) places.push({ from: index + 1 - form.length, to: index + 1 });
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
