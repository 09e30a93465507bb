/** Makes addresses fit for a recording: what was searched and sent, and passwords, stay out. */
import { replayLimits } from '../../../base/limits.ts';

/** The address of a request without the values of its query, its fragment, its user and the content of `data:`. */
export function shownAddress(address: string): string {
  // Values are left out, so more is read than is kept.
  const text = address.slice(0, 8 * replayLimits.addressCharacters);
  if (/^data:/i.test(text)) return /^data:[^,]{0,100}(?=,)/i.exec(text)?.[0] ?? 'data:';
  const url = URL.parse(text);
  if (!url) return '';
  url.username = '';
  url.password = '';
  url.hash = '';
  // A part without a name is a value.
  const names = url.search
    .slice(1)
    .split('&')
    .flatMap((part) => (part.indexOf('=') > 0 ? [part.slice(0, part.indexOf('=') + 1)] : []));
  url.search = names.join('&');
  return url.href.slice(0, replayLimits.addressCharacters);
}
