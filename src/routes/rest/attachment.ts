/** The header that makes an answer a file with a name (RFC 6266). */
import { create } from 'content-disposition';

/** `attachment; filename="<name>"`; always in quotation marks, for clients that look for them. */
export function attachment(name: string): string {
  return create(name).replace(/(; filename)=([^";]+)/, '$1="$2"');
}
