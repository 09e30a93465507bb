/** Estimates the size of a value by its text, for the limits of responses and event queues. */

/** Sums the characters of all strings within a value. */
export function textSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let size = 0;
  for (const member of Array.isArray(value) ? value : Object.values(value)) size += textSize(member);
  return size;
}
