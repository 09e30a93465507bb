/** Suggests known paths for a mistyped one. */
import { distance } from 'fastest-levenshtein';

const maxSuggestions = 5;
const maxCharacters = 120;

/**
 * Returns up to five known paths, most similar first; the last segment counts most. Pages about version 1 are suggested
 * only when the typed path contains `v1`.
 */
export function didYouMean(path: string, known: readonly string[]): string[] {
  if (path.length > maxCharacters) return [];
  const lastOf = (text: string) => text.split('/').at(-1) ?? '';
  const wantsOld = path.includes('v1');
  return known
    .filter((each) => each !== '/' && !each.startsWith('/components/'))
    .filter((each) => wantsOld || !each.startsWith('/baas/v1/'))
    .map((each) => ({ each, far: distance(path, each) + 2 * distance(lastOf(path), lastOf(each)) }))
    .filter(({ each, far }) => far < Math.max(path.length, each.length) * 1.2)
    .toSorted((a, b) => a.far - b.far)
    .slice(0, maxSuggestions)
    .map(({ each }) => each);
}
