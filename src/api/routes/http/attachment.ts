/** Builds the header that makes an answer a file with a name (RFC 6266). */
import { create } from 'content-disposition';

/** File systems allow names of 255 bytes; a character may take four of them, percent-encoded twelve. */
const maxNameCharacters = 200;

/** `attachment; filename="<name>"`; always in quotation marks, for clients that look for them. */
export function attachment(name: string): string {
  return create(shortened(name.toWellFormed())).replace(/(; filename)=([^";]+)/, '$1="$2"');
}

/** Shortens a long name, but keeps its extension. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= maxNameCharacters) return name;
  const [ending = ''] = /\.\w{1,10}$/.exec(name) ?? [];
  return characters.slice(0, maxNameCharacters - ending.length).join('') + ending;
}
