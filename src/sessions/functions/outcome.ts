/** Validates the outcome that the host page reports: the code runs in the same page and may have forged it. */
import * as v from 'valibot';
import { ServiceError } from '../../base/errors.ts';
import { tryParseJson } from '../../base/schema/json-text.ts';

const place = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)));
const kind = v.picklist(['plain', 'html', 'json', 'bytes']);
/** The host script sends at most a quarter of a million characters inline, and longer results in chunks. */
const shortText = v.pipe(v.string(), v.maxLength(2 ** 20));
const base64 = v.pipe(v.string(), v.maxLength(4 * 2 ** 20), v.regex(/^[A-Za-z0-9+/]*={0,2}$/));

const outcome = v.union([
  v.object({ kind: v.literal('failed'), message: shortText, line: place, column: place }),
  v.object({ kind, body: shortText }),
  v.object({ kind, data: base64, done: v.boolean(), type: v.optional(shortText) }),
]);

const chunk = v.object({ data: base64, done: v.boolean() });

/** How the code ended: it failed, returned a short text, or returned bytes that start with `data`. */
export type Outcome = v.InferOutput<typeof outcome>;

/** @throws ServiceError `code-failed` when the text is not what the host script writes */
export function parseOutcome(text: string): Outcome {
  return checked(outcome, tryParseJson(text));
}

/** @throws ServiceError `code-failed` */
export function parseChunk(value: unknown): v.InferOutput<typeof chunk> {
  return checked(chunk, value);
}

function checked<const S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new ServiceError('code-failed', 'The code changed the page that it runs in, so its result cannot be read.');
}
