/** Makes texts of sites, files and callers' code safe as values of headers, so that they cannot break an answer. */

/** Clients fail on answers with long headers; no useful value needs more characters than this. */
const maxCharacters = 1_000;
/** RFC 6838 section 4.2 allows 127 characters on each side of the slash; parameters are short. */
const maxTypeCharacters = 300;

/** Printable ASCII of at most 1,000 characters; everything else is percent-encoded. */
export function headerText(text: string): string {
  const shown = text.slice(0, maxCharacters).toWellFormed();
  return shown.replace(/[^\x20-\x7e]/gu, (char) => encodeURIComponent(char)).slice(0, maxCharacters);
}

/**
 * A media type that may stand in Content-Type; undefined for a text that is none, is too long or has other characters.
 */
export function mediaTypeText(text: string): string | undefined {
  const type = text.trim();
  return type.length <= maxTypeCharacters && /^[\w.+-]+\/[\w.+-]+\s*(?:;[ -~]*)?$/.test(type) ? type : undefined;
}

/** The same for a site's own Content-Type: drops broken parameters and keeps the type itself. */
export function siteMediaType(text: string): string {
  return mediaTypeText(text) ?? mediaTypeText(text.split(';', 1)[0] ?? '') ?? 'application/octet-stream';
}
