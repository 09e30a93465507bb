/** Reads origins as stored profiles and secrets name them. */
/** The URL of a text that is an origin of http or https and nothing more. */
export function originOf(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return url.href === `${url.origin}/` ? url : undefined;
}
