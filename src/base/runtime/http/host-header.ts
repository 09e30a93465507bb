/** Parses Host headers before a request has a URL. */

/** Replaces a Host header that contains no host: a URL can contain it, and no client check accepts it as a name. */
const noHost = 'invalid!';

/** Host and port of a Host header, normalized as in URLs; `invalid!` for a header that contains no host. */
export function hostOf(header: string): string {
  const source = `http://${header}/`;
  return /[^!-~]|[/\\?#@%]/.test(header) || !URL.canParse(source) ? noHost : new URL(source).host;
}
