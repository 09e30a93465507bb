/** How much text a value holds, roughly: what budgets of answers are counted in. */

/** Characters of all texts within a value. */
export function textSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let size = 0;
  for (const member of Array.isArray(value) ? value : Object.values(value)) size += textSize(member);
  return size;
}
