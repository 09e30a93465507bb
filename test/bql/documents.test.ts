// BrowserQL: the server rejects invalid documents immediately and without a browser; queries and the schema do not need
// one.
import { buildSchema, getIntrospectionQuery } from 'graphql';
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';

const { test, stage } = bqlSuite('BrowserQL documents');

/** Expects a 400 in the GraphQL error format with a message that contains `mention`. */
async function refused(
  document: string,
  mention: string,
  options: Parameters<typeof stage.send>[1] = {},
): Promise<void> {
  const reply = await stage.send(document, options);
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
  await refused('mutation {', 'Syntax Error');
  await refused('   ', 'empty');
  await refused('mutation { gto(url: "x") { status } }', 'Did you mean "goto"?');
  await refused('mutation { goto { status } }', 'goto(url:)');
  await refused('mutation { goto(url: "x", waitUntil: networkidle2) { status } }', 'networkIdle');
  await refused('mutation { goto(url: "x") }', 'selection of subfields');
  await refused('mutation { title { title } title(x: 1) { title } }', 'Unknown argument');
  await refused('mutation { pdf(width: [1]) { size } }', 'FloatOrString');
  await refused('mutation { select(selector: "a", value: 3) { time } }', 'StringOrArray');
  await refused('fragment A on Mutation { title { title } }', 'never used');
  await refused('mutation A { title { title } } mutation B { url { url } }', 'operationName');
  await refused('mutation A { title { title } }', 'no operation "C"', { operationName: 'C' });
  await refused('mutation A($u: String!) { goto(url: $u) { status } }', '$u');
  await refused('mutation A($u: String!) { goto(url: $u) { status } }', 'String cannot represent', {
    variables: { u: 1 },
  });
});

test('documents that are too large, too deep or have too many steps are rejected in bounded time', async () => {
  const started = performance.now();
  await refused(`mutation { title { title } } # ${'x'.repeat(1_000_000)}`, 'characters');
  await refused(`mutation { ${'a'.repeat(10)} ${'title { title } '.repeat(6_000)} }`, 'tokens');
  await refused(`mutation { ${'if(selector: "a") { '.repeat(200)} title { title } ${'} '.repeat(200)} }`, '60 levels');
  const many = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => `${name}${index}: title { title }`).join(' ');
  await refused(`mutation { ${many(500, 'a')} }`, '250');
  await refused(`mutation { ${'title { title } '.repeat(300)} }`, 'steps');
  const bomb = Array.from({ length: 20 }, (_, i) => `fragment F${i} on Mutation { ...F${i + 1} ...F${i + 1} }`).join(
    ' ',
  );
  await refused(`mutation { ...F0 } ${bomb} fragment F20 on Mutation { title { title } }`, 'more than');
  // Each takes milliseconds, or longer on a busy machine; expanding the fragments would take forever.
  assert.ok(performance.now() - started < 20_000);
  assert.is(
    stage.service.logs().some(({ event }) => event === 'request.retried'),
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
    const reply = await stage.service.post('/chromium/bql', body);
    assert.is(reply.status, 200, reply.text);
  }
  for (const body of [{}, { query: 7 }, { query, variables: [1] }, { query, more: 1 }, 'no JSON']) {
    assert.is((await stage.service.post('/chromium/bql', body)).status, 400);
  }
  const list = await stage.service.post('/chromium/bql', { query, variables: [1] });
  assert.match(list.text, 'POST Body validation failed: \\"variables\\" must be an object, got a list');
  assert.is((await stage.service.get('/chromium/bql')).status, 404);
});

test('queries, introspection and the schema document do not need a browser', async () => {
  const data = await stage.data('query { browser version __typename }');
  assert.match(data.browser, /Chrome\/\d+/);
  assert.match(data.version, /^\d+\.\d+/);
  const introspected = await stage.data(getIntrospectionQuery({ descriptions: true }));
  for (const type of introspected.__schema.types) {
    if (type.name.startsWith('__')) continue;
    assert.ok(type.description, type.name);
    const parts = [...(type.fields ?? []), ...(type.inputFields ?? []), ...(type.enumValues ?? [])];
    for (const part of parts) {
      assert.ok(part.description, `${type.name}.${part.name}`);
      for (const arg of part.args ?? []) assert.ok(arg.description, `${type.name}.${part.name}(${arg.name})`);
    }
  }
  const reply = await stage.service.get('/bql/schema.graphql');
  assert.match(reply.headers['content-type'] ?? '', 'text/plain');
  const names = Object.keys(buildSchema(reply.text).getMutationType()?.getFields() ?? {});
  assert.equal(names.length, 49);
  assert.ok(names.includes('loadSecret'));
});

test('limits the length of names that a response would repeat: aliases, and aliases in introspection', async () => {
  const refusedFor = async (query: string, said: string) => {
    const reply = await stage.send(query);
    assert.is(reply.status, 400, reply.text.slice(0, 200));
    assert.match(reply.text, said);
    assert.ok(reply.text.length < 2_000);
  };
  await refusedFor(`query { ${'a'.repeat(101)}: version }`, 'an alias may have at most 100');
  await refusedFor(`mutation { ${'a'.repeat(300_000)}: title { title } }`, 'an alias may have at most 100');
  const names = Array.from({ length: 120 }, (_, index) => `${'a'.repeat(95)}${index}: name`).join(' ');
  const said = 'names under __schema and __type have more than 10000 characters';
  await refusedFor(`query { __schema { types { ${names} } } }`, said);
  await refusedFor(`query { __schema { types { ...F } } } fragment F on __Type { ${names} }`, said);
  await stage.data(`query { ${'a'.repeat(100)}: version }`);
});

test('a document that exceeds its time limit gets a 408', async () => {
  const reply = await stage.send('mutation { waitForTimeout(time: 20000) { time } title { title } }', {
    query: { timeout: 1_000 },
  });
  assert.is(reply.status, 408);
});
