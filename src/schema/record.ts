/** What a value from outside is before anything is known of it. */

/** A value with named members, whatever they are. Lists count too, as in JavaScript. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** An object of JSON: not null and not a list. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !Array.isArray(value);
}
