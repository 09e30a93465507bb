/** The paths that somebody may have meant. */

/** Operations between two texts; gives up above a limit. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}

const most = 5;
const maxCharacters = 120;

/** Up to five known paths, nearest first; the last segment counts most. */
export function nearestPaths(path: string, known: readonly string[]): string[] {
  if (path.length > maxCharacters) return [];
  const lastOf = (text: string) => text.split('/').at(-1) ?? '';
  return known
    .filter((each) => each !== '/' && !each.startsWith('/components/'))
    .map((each) => ({ each, far: distance(path, each) + 2 * distance(lastOf(path), lastOf(each)) }))
    .filter(({ each, far }) => far < Math.max(path.length, each.length) * 1.2)
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ each }) => each);
}
