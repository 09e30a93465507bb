// Limits of request bodies: every list and map has a documented limit, and the server rejects bodies crafted to cost it
// time or memory within milliseconds, with a short message.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { GenericSchema } from 'valibot';
import type { ServiceError } from '../../src/base/errors.ts';
import { jsonLimits, listLimits, patternLimits, reportLimits } from '../../src/base/limits.ts';
import { createLog } from '../../src/base/telemetry/log.ts';
import { sessionBody } from '../../src/api/routes/sessions/session-body.ts';
import { jobRoutes } from '../../src/api/routes/table.ts';
import { contentBody } from '../../src/base/schema/request/fields.ts';
import { checkJson, JsonTooLarge, parseJson, readJson } from '../../src/base/schema/json-text.ts';
import { toJsonSchema } from '../../src/base/schema/json-schema.ts';
import { launchSchema } from '../../src/base/schema/request/launch.ts';
import { parseBody } from '../../src/base/schema/parse.ts';
import { browserQuery } from '../../src/base/schema/request/query.ts';
import { actionsOf, alternativesOf, entriesOf, innerOf, unwrap } from '../../src/base/schema/introspect.ts';
import { refusalOf } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('limits');

const schemas: [string, GenericSchema][] = [
  ...jobRoutes.map(({ name, body }): [string, GenericSchema] => [name, body]),
  ['session', sessionBody],
  ['launch', launchSchema],
  ['query', browserQuery],
];

/** Paths of lists and maps that have no limit. */
function unlimited(schema: GenericSchema, path: string): string[] {
  const inner = unwrap(schema);
  const types = actionsOf(schema).map(({ type }) => type);
  const item = innerOf(inner);
  return [
    ...(inner.type === 'array' && !types.includes('max_length') ? [path] : []),
    ...(inner.type === 'record' && !types.includes('max_entries') ? [path] : []),
    ...alternativesOf(inner).flatMap((option) => unlimited(option, path)),
    ...Object.entries(entriesOf(inner) ?? {}).flatMap(([name, entry]) => unlimited(entry, `${path}.${name}`)),
    ...(item ? unlimited(item, `${path}[]`) : []),
  ];
}

test('the documentation states the actual limits', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '../../docs-content', path), 'utf8');
  const number = (value: number) => value.toLocaleString('en');
  const errors = read('baas/troubleshooting/http-error-codes.mdx');
  assert.match(errors, `more than ${number(jsonLimits.values)} values`);
  assert.match(errors, `deeper than ${jsonLimits.depth} levels`);
  assert.match(errors, `the ${patternLimits.workerMs} ms`);
  const intro = read('rest-apis/intro.mdx');
  assert.match(intro, `at most ${number(patternLimits.characters)} characters`);
  assert.match(intro, `${patternLimits.workerMs} ms of CPU time`);
  assert.match(read('browserql/bot-detection/proxies.mdx'), `${patternLimits.workerMs} ms of CPU time`);
});

test('every list and map of every schema has a limit', () => {
  assert.equal(
    schemas.flatMap(([name, schema]) => unlimited(schema, name)),
    [],
  );
});

test('the OpenAPI document states the limits', () => {
  const { properties } = toJsonSchema(contentBody) as { properties: Record<string, Record<string, unknown>> };
  assert.is(properties['cookies']?.['maxItems'], listLimits.cookies);
  assert.is(properties['setExtraHTTPHeaders']?.['maxProperties'], listLimits.headers);
});

/** The error for a body, which must be rejected quickly. */
function refusal(schema: GenericSchema, body: unknown, limitMs = 1_000): ServiceError {
  const began = idleNow();
  const error = refusalOf(() => parseBody(schema, body));
  const took = idleNow() - began;
  assert.ok(took < limitMs, `${took} ms`);
  assert.ok(error.message.length <= reportLimits.messageCharacters + 1, `${error.message.length} characters`);
  assert.ok((error.issues?.length ?? 0) <= reportLimits.issues);
  assert.ok(JSON.stringify(error.issues ?? []).length < 64_000);
  return error;
}

const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const names = (count: number, name: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), index]));

test('a list that is too long is reported with its limit, regardless of its items', () => {
  for (const [name, item, most] of [
    ['cookies', {}, listLimits.cookies],
    ['rejectResourceTypes', 0, listLimits.resourceTypes],
    ['addScriptTag', { type: 1 }, listLimits.addScriptTag],
    ['rejectRequestPattern', '(a+)+', listLimits.patterns],
  ] as const) {
    const error = refusal(contentBody, { html: 'x', [name]: many(70_000, item) }, 200);
    assert.match(error.message, `"${name}" has 70000 entries; at most ${most} are allowed`);
    assert.is(error.issues?.[0]?.path, name);
    // As JSON text, which some clients send.
    const text = refusal(contentBody, { html: 'x', [name]: JSON.stringify(many(30_000, item)) }, 200);
    assert.match(text.message, `"${name}" has 30000 entries`);
  }
  const inside = { pattern: 'x', response: { headers: many(20_000, { name: 'a', value: 'b' }) } };
  const error = refusal(contentBody, { html: 'x', requestInterceptors: [inside] });
  assert.is(error.issues?.[0]?.path, 'requestInterceptors.0.response.headers');
  assert.match(
    refusal(contentBody, { html: 'x', setExtraHTTPHeaders: names(5_000, (index) => `h${index}`) }).message,
    '"setExtraHTTPHeaders" has 5000 keys; at most 100',
  );
});

test('of many issues, the first are listed and the rest are counted', () => {
  const cookies = refusal(contentBody, { html: 'x', cookies: many(300, {}) });
  assert.is(cookies.issues?.length, reportLimits.issues);
  assert.match(cookies.message, '"cookies.0.name" is required');
  assert.match(cookies.message, /… and 580 more$/);
  const fields = refusal(contentBody, { html: 'x', ...names(8_000, (index) => `unknown${index}`) });
  assert.match(fields.message, /… and \d+ more$/);
  assert.match(
    refusal(
      contentBody,
      names(60_000, (index) => `unknown${index}`),
    ).message,
    'has 60000 keys',
  );
  const endless = refusal(contentBody, {
    html: 'x',
    requestInterceptors: many(200, { pattern: 'x', response: { headers: many(100, { name: 1, value: {} }) } }),
  });
  assert.match(endless.message, `… and more than ${reportLimits.foundIssues} more`);
});

test('JSON nested in strings counts toward the limits of the body', () => {
  const nested = JSON.stringify({ a: many(60_000, 0) });
  assert.match(refusal(contentBody, { html: 'x', cookies: many(20, nested) }).message, 'contains more than');
});

test('names and values of several megabytes are truncated in errors', () => {
  const long = 'x'.repeat(3_000_000);
  assert.ok((refusal(contentBody, { [long]: 1, html: 'x' }).issues?.[0]?.path.length ?? 0) <= 201);
  refusal(contentBody, { html: 'x', emulateMediaType: long });
  refusal(contentBody, { html: 'x', rejectRequestPattern: [long] });
  refusal(contentBody, { html: 'x', setExtraHTTPHeaders: { [`${long} `]: 'x' } });
});

test('dropping deeply nested keys costs no more than keeping others', () => {
  let value: unknown = JSON.parse('{"constructor":1}');
  for (let level = 0; level < 90; level++) value = { inner: value };
  const began = idleNow();
  const body = jobRoutes.find(({ name }) => name === 'function')?.body;
  assert.ok(body);
  const parsed: unknown = parseBody(body, { code: 'export default () => 1', context: { value } });
  assert.not.match(JSON.stringify(parsed), 'constructor');
  assert.ok(idleNow() - began < 500);
});

test('JSON values are counted the way they are parsed', () => {
  assert.is(checkJson('{"a":[1,2,{"b":"},]:[{\\\\\\"x"}],"c":null}'), 9);
  assert.is(checkJson('"a text, with: [everything] {in} it"'), 0);
  assert.equal(parseJson('{"a":[1,"é☃"]}'), { a: [1, 'é☃'] });
  assert.throws(
    () => parseJson('{'),
    (error: unknown) => error instanceof SyntaxError,
  );
  for (const text of [
    `[${'0,'.repeat(jsonLimits.values)}0]`,
    `${'['.repeat(200)}${']'.repeat(200)}`,
    `{${Array.from({ length: jsonLimits.values }, (_, index) => `"${index}":1`).join()}}`,
    '['.repeat(5_000_000),
    `"${'\\"'.repeat(jsonLimits.escapes + 1)}"`,
    `[${'"\\n\\n\\n",'.repeat(jsonLimits.escapes / 3 + 1)}0]`,
  ]) {
    const began = idleNow();
    assert.throws(
      () => parseJson(text),
      (error: unknown) => error instanceof JsonTooLarge,
    );
    assert.ok(idleNow() - began < 200);
  }
  assert.equal(parseJson(JSON.stringify(many(60_000, 0))), many(60_000, 0));
  for (const long of ['x'.repeat(200), `${'x'.repeat(150)}\\`, `${'x'.repeat(150)}"\n\\"`, '\\"'.repeat(300)]) {
    const value = [long, { [long]: [long, ''] }, '\\', 1];
    for (const text of [JSON.stringify(value), JSON.stringify(JSON.stringify(value))]) {
      assert.equal(parseJson(text), JSON.parse(text));
    }
    assert.is(checkJson(JSON.stringify(value)), 8);
  }
  // Searching ahead again from each string would take minutes.
  const began = idleNow();
  checkJson(`[${`"${'x'.repeat(120)}",`.repeat(140_000)}"${'x'.repeat(200)}\\n"]`);
  assert.ok(idleNow() - began < 500);
});

test('counting JSON in slices gives the same result as counting it in one pass', async () => {
  // A slice ends near 4 million characters: before a string, inside it, after it, or between the two characters of an
  // escape.
  for (let before = 3_999_980; before < 4_000_004; before++) {
    const start = `["${'x'.repeat(before - 10)}\\n,,,","${',\\",'.repeat(2)}"`;
    const list = (length: number) => `,${'1,'.repeat(length)}"${'y'.repeat(500)}\\""]`;
    const room = jsonLimits.values - 3;
    for (const source of [start + list(room), new TextEncoder().encode(start + list(room))]) await readJson(source);
    const refused = await readJson(start + list(room + 1)).catch((error: unknown) => error);
    assert.instance(refused, JsonTooLarge, `${before}`);
  }
});

test('log lines are short, and truncation does not leave part of a secret', () => {
  let line = '';
  const log = createLog({ level: 'info', write: (text) => (line = text), secrets: ['canary-token'] });
  const text = `${'x'.repeat(reportLimits.logCharacters - 5)}canary-token${'y'.repeat(1_000_000)}`;
  log.info('request', { reason: text, cause: new Error(text), list: many(10_000, 'z'), map: names(10_000, String) });
  assert.ok(line.length < 20_000, `${line.length} characters`);
  assert.not.match(line, 'canary');
  assert.match(line, 'and 9950 more');
});
