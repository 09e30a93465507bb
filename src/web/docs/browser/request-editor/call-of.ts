/** Converts the request editor's draft into an API request. */
import type { ApiCall } from '../call/api-call.ts';
import { bqlPayload, objectIn } from '../run/bql-fields.tsx';
import type { Operation } from './operations.ts';
import type { Draft } from './shared-address.ts';

const json = { 'Content-Type': 'application/json' };

/** Returns the path with a query of the operation's known options; others, such as from an old link, are left out. */
function pathOf({ options }: Draft, { path, query }: Operation): string {
  const known = Object.entries(options).filter(([name]) => query.some((field) => field.name === name));
  return known.length === 0 ? path : `${path}?${new URLSearchParams(known)}`;
}

/** @throws Error naming the text that is invalid for the request */
export function callOf(work: Draft, operation: Operation): ApiCall {
  const path = pathOf(work, operation);
  if (operation.method === 'GET') return { method: 'GET', path, headers: {} };
  if (work.kind === 'bql') return { method: 'POST', path, headers: json, body: bqlPayload(work.text, work.variables) };
  if (work.kind === 'rest') {
    const body = objectIn(work.text, 'body');
    return { method: 'POST', path, headers: json, body: JSON.stringify(body ?? {}) };
  }
  const context = objectIn(work.variables, 'context');
  if (context === undefined)
    return { method: 'POST', path, headers: { 'Content-Type': 'application/javascript' }, body: work.text };
  return { method: 'POST', path, headers: json, body: JSON.stringify({ code: work.text, context }) };
}
