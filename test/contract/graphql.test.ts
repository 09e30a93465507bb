// POST /graphql: each field returns what its REST route returns, to the same clients, and no document is expensive
// (compatibility.mdx#management).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, isObjectType } from 'graphql';
import * as assert from 'uvu/assert';
import { documentLimits, graphqlLimits } from '../../src/base/limits.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import type { BqlAnswer } from '../support/clients/bql.ts';
import { type RawClient, rawClient, type SessionEntry, socketUrl } from '../support/clients/clients.ts';
import { openPage } from '../support/clients/targets.ts';
import { tokenOf, type TokensFile, tokensFile } from '../support/clients/tokens.ts';
import { type CallOptions, type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { idleNow } from '../support/idle-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const test = suite('graphql', { timeoutMs: 120_000 });
const as = (name: string): CallOptions => ({ token: tokenOf(name) });
const directory = temporaryDirectory();
let file: TokensFile;
let site: Site;
let service: Service;
/** Browsers of two tenants, each with a page. */
let clients: RawClient[];

const counts = { successful: 3, error: 1, timedout: 0, queued: 0, rejected: 0, unhealthy: 0, maxConcurrent: 1 };
const sessionTimes = Array.from({ length: 100 }, (_, at) => 10_000 + at);
const times = { sessionTimes, maxTime: 10_099, minTime: 10_000, totalTime: 30, meanTime: 15, units: 2 };
const ends = { unauthorized: 0, running: 0, cpu: 0.5, memory: null };
const proxies = { ours: { bytes: 1_000, units: 1 } };
const saved = Array.from({ length: 200 }, (_, at) => ({
  ...counts,
  ...times,
  ...ends,
  date: 1_700_000_000_000 + at,
  proxies,
}));

test.before(async () => {
  const metrics = join(directory, 'metrics.jsonl');
  writeFileSync(metrics, saved.map((period) => `${JSON.stringify(period)}\n`).join(''));
  file = tokensFile([
    { name: 'ours' },
    { name: 'theirs' },
    { name: 'narrow', routes: ['/graphql', '/pressure'] },
    { name: 'printing', routes: ['/pdf'] },
  ]);
  site = await startSite();
  const env = {
    TOKENS_FILE: file.path,
    TOKEN: 'operator-token',
    METRICS_JSON_PATH: metrics,
    CONCURRENT: '4',
    SPARES: '0',
  };
  service = await startService({ env });
  clients = [];
  for (const [name, trackingId] of [
    ['ours', 'nightly'],
    ['theirs', 'daily'],
  ] as const) {
    const client = await rawClient(socketUrl(service, '/', { token: tokenOf(name), trackingId }));
    clients.push(client);
    await openPage(client, `${site.url}/small`);
  }
});
test.after(async () => {
  for (const { socket } of clients) socket.close();
  await stopAll(service, site);
});

const ask = (query: string, variables?: object, options: CallOptions = {}) =>
  service.post('/graphql', { query, ...(variables ? { variables } : {}) }, options);

async function data(query: string, variables?: object, options?: CallOptions): Promise<Record<string, any>> {
  const answer = succeeded(await ask(query, variables, options)).json<BqlAnswer>();
  assert.is(answer.errors, undefined, JSON.stringify(answer.errors));
  return answer.data;
}

/** Asserts that a document is rejected because it cannot run or requests too much. */
async function assertRejected(query: string, ...mentions: (string | RegExp)[]) {
  const reply = await ask(query);
  const reported = reply.text.slice(0, 300);
  assert.is(reply.status, 400, reported);
  const { data: none, errors = [] } = reply.json<Partial<BqlAnswer>>();
  assert.is(none, undefined);
  for (const mention of mentions) assert.match(errors[0]?.message ?? '', mention);
  return errors;
}

async function schemaOf(options?: CallOptions) {
  const introspected = await data(getIntrospectionQuery(), undefined, options);
  return buildClientSchema(introspected as IntrospectionQuery);
}

/** Every field of the object that a query field returns. */
async function membersOf(field: string): Promise<string> {
  const type = String((await schemaOf()).getQueryType()?.getFields()[field]?.type).replace(/[[\]!]/g, '');
  const object = (await schemaOf()).getType(type);
  assert.ok(isObjectType(object), `${field} is an object`);
  return Object.values(object.getFields())
    .map((member) => (String(member.type) === 'AccountUnits' ? `${member.name} { used budget resetsAt }` : member.name))
    .join(' ');
}

/** A value without null properties, which REST leaves out, and without properties that change between requests. */
function settled(value: unknown, moving: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => settled(item, moving));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== null && !moving.includes(name))
      .map(([name, member]) => [name, settled(member, moving)])
      .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
  );
}

const moving = ['date', 'cpu', 'memory', 'timeAliveMs'];
const equals: [field: string, path: string, moving: readonly string[], member?: string][] = [
  ['pressure', '/pressure', moving, 'pressure'],
  ['metrics', '/metrics', []],
  ['metricsTotal', '/metrics/total', []],
  ['sessions', '/sessions', moving],
  ['account', '/account', []],
  ['version', '/meta', []],
];
for (const [field, path, without, member] of equals) {
  test(`${field} returns the same as ${path}`, async () => {
    const given = await data(`{ ${field} { ${await membersOf(field)} } }`);
    const rest = succeeded(await service.get(path)).json<Record<string, unknown>>();
    assert.equal(settled(given[field], without), settled(member ? rest[member] : rest, without));
    // Comparing empty objects would pass too.
    assert.ok(Object.keys(given[field]).length > 0);
  });
}

test('the schema contains the fields and descriptions of the REST routes, and no mutations or subscriptions', async () => {
  const schema = await schemaOf(as('theirs'));
  const fields = Object.keys(schema.getQueryType()?.getFields() ?? {});
  assert.equal(
    fields,
    equals.map(([field]) => field),
  );
  assert.not(schema.getMutationType() ?? schema.getSubscriptionType());
  const pressure = schema.getType('Pressure');
  assert.ok(isObjectType(pressure));
  assert.match(pressure.getFields()['reason']?.description ?? '', 'Why a request would not be served');
});

test('arguments: newest periods, sessions by tracking id, variables, and operation names', async () => {
  const { metrics } = await data('query A($last: Int) { metrics(last: $last) { date } }', { last: 2 });
  assert.equal(
    metrics,
    saved.slice(-2).map(({ date }) => ({ date })),
  );
  const { none, mine } = await data(
    '{ none: sessions(trackingId: "nobody") { id } mine: sessions(trackingId: "nightly") { type trackingId } }',
  );
  assert.equal(none, []);
  const found = mine.map(({ type, trackingId }: SessionEntry) => `${type} ${trackingId}`);
  assert.equal(new Set(found), new Set(['browser nightly', 'page nightly']));
  const query = 'query A { version { version } } query B { pressure { running } }';
  const named = succeeded(await service.post('/graphql', { query, operationName: 'B', variables: null }));
  assert.equal(named.json<BqlAnswer>().data, { pressure: { running: 2 } });
  for (const last of [0, -1, graphqlLimits.periods + 1]) {
    const answer = succeeded(await ask(`{ metrics(last: ${last}) { date } version { version } }`)).json<BqlAnswer>();
    assert.is(answer.data['metrics'], null);
    assert.ok(answer.data['version'].version);
    const reported = answer.errors?.map(({ path, extensions }) => [path, extensions?.code]);
    assert.equal(reported, [[['metrics'], 'BAD_REQUEST']]);
  }
  const reply = succeeded(await service.post('/graphql', { query: '{ version { version } }', extensions: { a: 1 } }));
  assert.is(reply.headers['x-ignored-parameters'], 'extensions');
});

test('tenants see their own sessions and accounts', async () => {
  const ids = async (options: CallOptions) => {
    const { sessions } = await data('{ sessions { browserId trackingId } }', undefined, options);
    return new Set(sessions.map(({ trackingId }: SessionEntry) => trackingId));
  };
  assert.equal(await ids(as('ours')), new Set(['nightly']));
  assert.equal(await ids(as('theirs')), new Set(['daily']));
  assert.equal(await ids({}), new Set(['nightly', 'daily']));
  const foreign = await data('{ sessions(trackingId: "nightly") { id } account { name } }', undefined, as('theirs'));
  assert.equal(foreign, { sessions: [], account: { name: 'theirs' } });
});

test("fields are denied to the same tokens as in REST: metrics, and routes that the token's row does not list", async () => {
  const all = '{ pressure { running } metrics { date } metricsTotal { units } sessions { id } account { name } }';
  const codesOf = async (name: string) => {
    const { data: given, errors = [] } = succeeded(await ask(all, undefined, as(name))).json<BqlAnswer>();
    for (const { path, message } of errors) {
      assert.is(given[String(path?.[0])], null);
      assert.match(message, /operator/i);
    }
    return errors.map(({ path, extensions }) => `${String(path)} ${extensions?.code}`);
  };
  const operators = ['metrics NOT_IN_PLAN', 'metricsTotal NOT_IN_PLAN'];
  assert.equal((await codesOf('ours')).toSorted(), operators);
  refused(await service.get('/metrics', as('ours')), 401, 'Only the operator');
  assert.equal((await codesOf('narrow')).toSorted(), [...operators, 'sessions NOT_IN_PLAN']);
  refused(await service.get('/sessions', as('narrow')), 401, 'does not include the route /sessions');
  refused(await ask(all, undefined, as('printing')), 401, 'does not include the route /graphql');
  refused(await ask(all, undefined, { token: 'wrong' }), 401, 'Bad or missing authentication.');
  refused(await ask(all, undefined, { token: null }), 401, 'Bad or missing authentication.');
});

test.differs('`POST /graphql` returns data of a hosted service');
test('an unknown field returns a 400 with a suggestion', async () => {
  const [error] = await assertRejected('{ pressure { isAvailabel } }', 'Did you mean "isAvailable"');
  assert.equal(error?.locations, [{ line: 1, column: 14 }]);
  assert.is(error?.extensions?.code, 'BAD_DOCUMENT');
  await assertRejected('{ workspace { id } }', 'Cannot query field "workspace"');
  await assertRejected('{ pressure }', 'must have a selection of subfields');
  await assertRejected('{ metrics(last: "two") { date } }', 'Int cannot represent non-integer value: "two"');
});

test('mutations, subscriptions, and GET requests are rejected', async () => {
  for (const kind of ['mutation', 'subscription']) {
    await assertRejected(`${kind} { kill }`, `no ${kind}: it is read-only, so send a query`);
  }
  await assertRejected('query A { version { version } } mutation B { kill }', 'no mutation');
  refused(await service.get('/graphql', { query: { query: '{ version { version } }' } }), 404, 'Not Found');
});

test('returns errors for bodies that are not valid documents', async () => {
  await assertRejected('', 'The document is empty');
  await assertRejected('}{', 'Syntax Error');
  await assertRejected('fragment A on Query { version { version } }', 'never used');
  const text = (body: string, type = 'application/json') =>
    service.post('/graphql', body, { headers: { 'content-type': type } });
  refused(await text('{"query":'), 400, "Couldn't parse JSON body");
  refused(await text('[]'), 400, 'query');
  refused(await text('{"query":1}'), 400, 'query');
  refused(await text('{"query":"{ version { version } }","id":1}'), 400, 'id');
  refused(await text('{"query":"{ version { version } }","variables":"x"}'), 400, 'variables');
  for (const type of ['application/graphql', 'text/plain', 'multipart/form-data']) {
    refused(await text('{ version { version } }', type), 404, 'Content-Type: application/json');
  }
  refused(await ask('{ version { version } }', undefined, { query: { nosuch: 1 } }), 400, 'nosuch');
});

test('documents have the same limits as in BrowserQL, and are rejected quickly', async () => {
  const repeated = (count: number, part: (at: number) => string) => Array.from({ length: count }, (_, at) => part(at));
  const began = idleNow();
  const { aliases, characters, depth, fields, tokens } = documentLimits;
  await assertRejected(`{ ${repeated(aliases + 1, (at) => `a${at}: version { version }`).join(' ')} }`, 'aliases');
  await assertRejected(`{ ${'version { '.repeat(depth + 1)}x${' }'.repeat(depth + 1)} }`, 'nested deeper');
  await assertRejected(`{ ${'version { '.repeat(5_000)}`, /nested deeper|Syntax Error/);
  await assertRejected(`{ version { version } } #${'x'.repeat(characters)}`, `${characters} are accepted`);
  await assertRejected(`{ version { ${'version '.repeat(tokens)} } }`, /tokens/);
  const halves = repeated(14, (at) => `fragment f${at} on Versions { ...f${at + 1} ...f${at + 1} }`);
  await assertRejected(
    `{ version { ...f0 } } ${halves.join(' ')} fragment f14 on Versions { version }`,
    `${fields} fields`,
  );
  const loop = '{ version { ...a } } fragment a on Versions { ...b } fragment b on Versions { ...a }';
  await assertRejected(loop, 'Cannot spread fragment');
  const lists = `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`;
  await assertRejected(lists, 'introspection depth');
  const big = await service.post('/graphql', `{"query":"${'x'.repeat(11_000_000)}"}`, {
    headers: { 'content-type': 'application/json' },
  });
  refused(big, 400, 'payload');
  assert.ok(idleNow() - began < 10_000);
});

test('aliases do not multiply the size of a response or what is read for it', async () => {
  const { aliases } = documentLimits;
  const named = (count: number, field: string) =>
    Array.from({ length: count }, (_, at) => `${'n'.repeat(90)}${at}: ${field}`).join(' ');
  const short = (count: number, field: string) =>
    Array.from({ length: count }, (_, at) => `n${at}: ${field}`).join(' ');
  const began = idleNow();
  for (const query of [
    // Long field names, repeated for each entry of a list, also through fragments.
    `{ metrics { ${named(aliases, '__typename')} } }`,
    `{ metrics { ...all } } fragment all on MetricsPeriod { ${named(aliases, 'date')} }`,
    // Long values.
    `{ metrics { ${short(aliases, 'sessionTimes')} } }`,
    `{ ${short(aliases, 'metrics { sessionTimes }')} }`,
    `{ ${short(aliases, `metrics { ${'date '.repeat(30)} }`)} }`,
  ]) {
    const [error] = await assertRejected(query, `exceed ${graphqlLimits.answerCharacters} characters`);
    assert.is(error?.extensions?.code, 'ANSWER_TOO_LARGE');
  }
  await assertRejected(`{ __schema { types { ${named(200, 'name')} } } }`, 'names under __schema');
  assert.ok(idleNow() - began < 10_000);
  const read = await data(`{ ${short(aliases, 'pressure { date }')} }`);
  assert.is(new Set(Object.values(read).map(({ date }) => date)).size, 1, 'it is read once');
});
