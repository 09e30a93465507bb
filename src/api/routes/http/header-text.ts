/** Makes text from sites, files, and client code safe as header values, so that it cannot break a response. */

/** Clients fail on responses with long headers; no useful value needs more characters than this. */
const maxCharacters = 1_000;
/** RFC 6838 section 4.2 allows 127 characters on each side of the slash; parameters are short. */
const maxTypeCharacters = 300;

/** Printable ASCII of at most 1,000 characters; everything else is percent-encoded. */
export function headerText(text: string): string {
  const shown = text.slice(0, maxCharacters).toWellFormed();
  return shown.replace(/[^\x20-\x7e]/gu, (char) => encodeURIComponent(char)).slice(0, maxCharacters);
}

/**
 * Returns a media type that is valid in Content-Type; undefined for text that is not a media type, is too long, or
 * contains other characters.
 */
export function mediaTypeText(text: string): string | undefined {
  const type = text.trim();
  return type.length <= maxTypeCharacters && /^[\w.+-]+\/[\w.+-]+\s*(?:;[ -~]*)?$/.test(type) ? type : undefined;
}

/** Returns the media type in a site's Content-Type: drops malformed parameters and keeps the type itself. */
export function siteMediaType(text: string): string {
  return mediaTypeText(text) ?? mediaTypeText(text.split(';', 1)[0] ?? '') ?? 'application/octet-stream';
}
