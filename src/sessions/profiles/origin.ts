/** Parses the origins in stored profiles and secrets. */
/** Returns the URL of a string that is exactly an http or https origin, otherwise undefined. */
export function originOf(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return url.href === `${url.origin}/` ? url : undefined;
}
