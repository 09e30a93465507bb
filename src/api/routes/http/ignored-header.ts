/**
 * Names what a call does not act on: in the header `X-Ignored-Parameters` and in its log line
 * (compatibility.mdx#parameters-without-effect). Callers choose the names, so they are cut and cleaned.
 */
import { tellingLimits } from '../../../base/limits.ts';

/** The first names, each without the characters that a header or a list must not have. */
export function shownNames(ignored: readonly string[]): string[] {
  const shown = ignored
    .slice(0, tellingLimits.ignoredNames)
    .map((name) => name.replace(/[^\w.[\]*-]/g, '?').slice(0, tellingLimits.ignoredNameCharacters));
  return shown.length < ignored.length ? [...shown, `${ignored.length - shown.length} more`] : shown;
}

/** `X-Ignored-Parameters`; no header when there is nothing to name. */
export function ignoredHeader(ignored: readonly string[]): Record<string, string> {
  return ignored.length === 0 ? {} : { 'X-Ignored-Parameters': shownNames(ignored).join(', ') };
}
