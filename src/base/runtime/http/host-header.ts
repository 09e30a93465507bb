/** Reads Host headers before a request has a URL. */

/** Stands in for a Host header that names no host: a URL can hold it, and no check of callers takes it for a name. */
const noHost = 'invalid!';

/** Host and port in a Host header, in the form that URLs write them; `invalid!` for a header that names no host. */
export function hostOf(header: string): string {
  const source = `http://${header}/`;
  return /[^!-~]|[/\\?#@%]/.test(header) || !URL.canParse(source) ? noHost : new URL(source).host;
}
