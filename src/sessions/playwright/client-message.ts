/** Inspects the messages of Playwright clients. Their contents are bounded by `messageLimits`. */
import { isPlainObject } from '../../base/schema/record.ts';

export type Message = Record<string, unknown>;

/** Returns which field of a call is missing or has a type that no library sends; undefined for a valid call. */
export function invalidMember({ id, guid, method, params, metadata }: Message): string | undefined {
  // Newer libraries send strings, and no id for a call without a response.
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id))
    return '"id" must be an integer or a string';
  for (const [name, value] of Object.entries({ guid, method })) {
    if (typeof value !== 'string') return `"${name}" must be a string`;
  }
  for (const [name, value] of Object.entries({ params, metadata })) {
    if (name === 'metadata' && method === '__abort__') continue;
    if (!isPlainObject(value)) return `"${name}" must be an object`;
  }
  return undefined;
}

interface Blocked {
  url: string;
  reason: string;
}

/** Returns the first refused text under a key `url`, in uppercase or lowercase. */
export function findUrl(value: unknown, refusal: (url: string) => string | undefined): Blocked | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // Avoids `Object.entries`, which creates a string for each index of a list.
  if (Array.isArray(value)) return firstIn(value, (item) => findUrl(item, refusal));
  return firstIn(Object.keys(value), (key) => {
    const member: unknown = Reflect.get(value, key);
    const texts = key.length === 3 && key.toLowerCase() === 'url' ? (Array.isArray(member) ? member : [member]) : [];
    for (const text of texts) {
      if (typeof text !== 'string') continue;
      const reason = refusal(text);
      if (reason !== undefined) return { url: text, reason };
    }
    return findUrl(member, refusal);
  });
}

function firstIn<T>(list: readonly T[], find: (item: T) => Blocked | undefined): Blocked | undefined {
  for (const item of list) {
    const found = find(item);
    if (found) return found;
  }
  return undefined;
}
