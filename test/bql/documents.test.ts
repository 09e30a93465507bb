// BrowserQL: the server rejects invalid documents immediately and without a browser; queries and the schema do not need
// one.
import { buildSchema, getIntrospectionQuery } from 'graphql';
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = bqlSuite('BrowserQL documents');

/** Expects a 400 in the GraphQL error format with a message that contains `mention`. */
async function assertRejected(
  document: string,
  mention: string,
  options: Parameters<typeof fixture.send>[1] = {},
): Promise<void> {
  const reply = await fixture.send(document, options);
  assert.is(reply.status, 400, reply.text.slice(0, 300));
  const { errors, data } = reply.json<{
    errors: { message: string; extensions: { code: string } }[];
    data?: unknown;
  }>();
  assert.equal([data, errors[0]?.extensions.code], [undefined, 'BAD_DOCUMENT']);
  assert.ok(
    errors.some(({ message }) => message.includes(mention)),
    reply.text.slice(0, 500),
  );
}

test('documents that cannot be parsed or do not match the schema are rejected with the reason', async () => {
  await assertRejected('mutation {', 'Syntax Error');
  await assertRejected('   ', 'empty');
  await assertRejected('mutation { gto(url: "x") { status } }', 'Did you mean "goto"?');
  await assertRejected('mutation { goto { status } }', 'goto(url:)');
  await assertRejected('mutation { goto(url: "x", waitUntil: networkidle2) { status } }', 'networkIdle');
  await assertRejected('mutation { goto(url: "x") }', 'selection of subfields');
  await assertRejected('mutation { title { title } title(x: 1) { title } }', 'Unknown argument');
  await assertRejected('mutation { pdf(width: [1]) { size } }', 'FloatOrString');
  await assertRejected('mutation { select(selector: "a", value: 3) { time } }', 'StringOrArray');
  await assertRejected('fragment A on Mutation { title { title } }', 'never used');
  await assertRejected('mutation A { title { title } } mutation B { url { url } }', 'operationName');
  await assertRejected('mutation A { title { title } }', 'no operation "C"', { operationName: 'C' });
  await assertRejected('mutation A($u: String!) { goto(url: $u) { status } }', '$u');
  await assertRejected('mutation A($u: String!) { goto(url: $u) { status } }', 'String cannot represent', {
    variables: { u: 1 },
  });
});

test('documents that are too large, too deep or have too many steps are rejected in bounded time', async () => {
  const started = idleNow();
  await assertRejected(`mutation { title { title } } # ${'x'.repeat(1_000_000)}`, 'characters');
  await assertRejected(`mutation { ${'a'.repeat(10)} ${'title { title } '.repeat(6_000)} }`, 'tokens');
  await assertRejected(
    `mutation { ${'if(selector: "a") { '.repeat(200)} title { title } ${'} '.repeat(200)} }`,
    '60 levels',
  );
  const many = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => `${name}${index}: title { title }`).join(' ');
  await assertRejected(`mutation { ${many(500, 'a')} }`, '250');
  await assertRejected(`mutation { ${'title { title } '.repeat(300)} }`, 'steps');
  const bomb = Array.from({ length: 20 }, (_, i) => `fragment F${i} on Mutation { ...F${i + 1} ...F${i + 1} }`).join(
    ' ',
  );
  await assertRejected(`mutation { ...F0 } ${bomb} fragment F20 on Mutation { title { title } }`, 'more than');
  // Each takes milliseconds, or longer on a busy machine; expanding the fragments would take forever.
  assert.ok(idleNow() - started < 20_000);
  assert.is(
    fixture.service.logs().some(({ event }) => event === 'request.retried'),
    false,
  );
});

test('accepts request bodies in all common forms and rejects others', async () => {
  const query = '{ version }';
  for (const body of [
    { query, variables: '' },
    { query, variables: null, operationName: null },
    // PHP writes an empty object like this.
    { query, variables: [], extensions: [] },
    { query, operationName: '', extensions: {} },
  ]) {
    const reply = await fixture.service.post('/chromium/bql', body);
    assert.is(reply.status, 200, reply.text);
  }
  for (const body of [{}, { query: 7 }, { query, variables: [1] }, { query, more: 1 }, 'no JSON']) {
    assert.is((await fixture.service.post('/chromium/bql', body)).status, 400);
  }
  const list = await fixture.service.post('/chromium/bql', { query, variables: [1] });
  assert.match(list.text, 'POST Body validation failed: \\"variables\\" must be an object, got a list');
  assert.is((await fixture.service.get('/chromium/bql')).status, 404);
});

test('queries, introspection and the schema document do not need a browser', async () => {
  const data = await fixture.data('query { browser version __typename }');
  assert.match(data.browser, /Chrome\/\d+/);
  assert.match(data.version, /^\d+\.\d+/);
  const introspected = await fixture.data(getIntrospectionQuery({ descriptions: true }));
  for (const type of introspected.__schema.types) {
    if (type.name.startsWith('__')) continue;
    assert.ok(type.description, type.name);
    const parts = [...(type.fields ?? []), ...(type.inputFields ?? []), ...(type.enumValues ?? [])];
    for (const part of parts) {
      assert.ok(part.description, `${type.name}.${part.name}`);
      for (const arg of part.args ?? []) assert.ok(arg.description, `${type.name}.${part.name}(${arg.name})`);
    }
  }
  const reply = await fixture.service.get('/bql/schema.graphql');
  assert.match(reply.headers['content-type'] ?? '', 'text/plain');
  const names = Object.keys(buildSchema(reply.text).getMutationType()?.getFields() ?? {});
  assert.equal(names.length, 49);
  assert.ok(names.includes('loadSecret'));
});

test('limits the length of names that a response would repeat: aliases, and aliases in introspection', async () => {
  const refusedFor = async (query: string, expectedMessage: string) => {
    const reply = await fixture.send(query);
    assert.is(reply.status, 400, reply.text.slice(0, 200));
    assert.match(reply.text, expectedMessage);
    assert.ok(reply.text.length < 2_000);
  };
  await refusedFor(`query { ${'a'.repeat(101)}: version }`, 'an alias may have at most 100');
  await refusedFor(`mutation { ${'a'.repeat(300_000)}: title { title } }`, 'an alias may have at most 100');
  const names = Array.from({ length: 120 }, (_, index) => `${'a'.repeat(95)}${index}: name`).join(' ');
  const expectedMessage = 'names under __schema and __type have more than 10000 characters';
  await refusedFor(`query { __schema { types { ${names} } } }`, expectedMessage);
  await refusedFor(`query { __schema { types { ...F } } } fragment F on __Type { ${names} }`, expectedMessage);
  await fixture.data(`query { ${'a'.repeat(100)}: version }`);
});

test('a document that exceeds its time limit gets a 408', async () => {
  const reply = await fixture.send('mutation { waitForTimeout(time: 20000) { time } title { title } }', {
    query: { timeout: 1_000 },
  });
  assert.is(reply.status, 408);
});
