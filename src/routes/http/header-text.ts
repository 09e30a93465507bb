/** Texts of other people as values of headers: what a site, a file or code of a caller says must not break an answer. */

/** Clients give up on answers whose headers are long; nothing that is worth saying there needs more characters. */
const maxCharacters = 1_000;
/** RFC 6838 section 4.2 allows 127 characters on each side of the slash; parameters are short. */
const maxTypeCharacters = 300;

/** Printable ASCII of at most 1,000 characters; everything else is percent-encoded. */
export function headerText(text: string): string {
  const shown = text.slice(0, maxCharacters).toWellFormed();
  return shown.replace(/[^\x20-\x7e]/gu, (char) => encodeURIComponent(char)).slice(0, maxCharacters);
}

/** A media type as it may stand in Content-Type; undefined for what is none, is too long or holds other characters. */
export function mediaTypeText(text: string): string | undefined {
  const type = text.trim();
  return type.length <= maxTypeCharacters && /^[\w.+-]+\/[\w.+-]+\s*(?:;[ -~]*)?$/.test(type) ? type : undefined;
}

/** The same for what a site says: of a type with broken parameters the type itself remains. */
export function siteMediaType(text: string): string {
  return mediaTypeText(text) ?? mediaTypeText(text.split(';', 1)[0] ?? '') ?? 'application/octet-stream';
}
