/** Looks into a message of a Playwright client. What it may hold is bounded by `messageLimits`. */
import { redact } from '../../base/telemetry/log.ts';
import { isPlainObject } from '../../base/schema/record.ts';

export type Message = Record<string, unknown>;

/** Says which member of a call is missing or of another type than all libraries send; undefined for none. */
export function wrongMember({ id, guid, method, params, metadata }: Message): string | undefined {
  // Newer libraries write texts, and none for a call that gets no answer.
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id))
    return '"id" must be an integer or a text';
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

/** The first refused text under a key spelled `url`, in any case. */
export function findUrl(value: unknown, refusal: (url: string) => string | undefined): Blocked | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // Without `Object.entries`, which makes a text of each index of a list.
  if (Array.isArray(value)) return firstIn(value, (item) => findUrl(item, refusal));
  return firstIn(Object.keys(value), (key) => {
    const member: unknown = Reflect.get(value, key);
    const texts = key.length === 3 && key.toLowerCase() === 'url' ? (Array.isArray(member) ? member : [member]) : [];
    for (const text of texts) {
      if (typeof text !== 'string') continue;
      const reason = refusal(text);
      if (reason !== undefined) return { url: redact(text), reason };
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
