/** Cleans URLs for recordings: removes search terms, submitted data and passwords. */
import { replayLimits } from '../../../base/limits.ts';

/** Returns a URL without query values, fragment, username, password and the content of `data:`. */
export function displayUrl(address: string): string {
  // Values are removed, so read more characters than are kept.
  const text = address.slice(0, 8 * replayLimits.addressCharacters);
  if (/^data:/i.test(text)) return /^data:[^,]{0,100}(?=,)/i.exec(text)?.[0] ?? 'data:';
  const url = URL.parse(text);
  if (!url) return '';
  url.username = '';
  url.password = '';
  url.hash = '';
  // Drop parts without a name: they are values.
  const names = url.search
    .slice(1)
    .split('&')
    .flatMap((part) => (part.indexOf('=') > 0 ? [part.slice(0, part.indexOf('=') + 1)] : []));
  url.search = names.join('&');
  return url.href.slice(0, replayLimits.addressCharacters);
}
