/** Takes the values of stored secrets out of texts: those of answers, and the addresses that rules compare. */

/** The text with `***` in place of each secret, in every form in which addresses write it. */
export function masked(text: string, secrets: ReadonlySet<string>): string {
  let left = text;
  for (const secret of secrets) {
    for (const form of formsOf(secret)) left = left.replaceAll(form, '***');
  }
  return left;
}

/** A request for rules that were set before a secret was filled in, which must not tell it either. */
export function maskedRequest<Request extends { url: string }>(
  request: Request,
  secrets: ReadonlySet<string>,
): Request {
  return secrets.size === 0 ? request : { ...request, url: masked(request.url, secrets) };
}

/** How a text and its addresses may write a secret, the longest first. */
function formsOf(secret: string): string[] {
  const forms = [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
  ];
  const quoted = forms.map((form) => form.replaceAll("'", '%27'));
  return [...new Set([...forms, ...quoted])].toSorted((a, b) => b.length - a.length);
}
