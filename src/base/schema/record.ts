/** Type guards for values of unknown shape. */

/** A value with named properties. Lists count too, as in JavaScript. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A JSON object: not null and not a list. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !Array.isArray(value);
}
