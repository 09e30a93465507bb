// The OpenAPI document: it is valid, describes what routes really accept and return, is served compressed and under
// both paths, and its generated types compile. Every test also checks its responses against the document
// (test/support/checks/answers.ts); this file proves that the check can fail.
import { createServer } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTS, { astToString } from 'openapi-typescript';
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { takeViolations, watchResponses } from '../support/checks/answers.ts';
import { succeeded } from '../support/checks/expect.ts';
import { root, runTool, scratchTree } from '../support/checks/tools.ts';
import { send } from '../support/clients/http.ts';

interface Answer {
  $ref?: string;
  content?: Record<string, { schema: Record<string, unknown> }>;
}

interface Operation {
  operationId: string;
  parameters: { $ref?: string }[];
  responses: Record<string, Answer>;
  requestBody?: { content: Record<string, unknown> };
  security?: unknown[];
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { requestBodies: Record<string, { content: Record<string, { example?: unknown }> }> };
}

let text: string;
let document: Document;

const { test, service } = fixtureSuite('OpenAPI document', {
  timeoutMs: 120_000,
  env: { TOKEN: 'browserless', SPARES: '0', CORS: 'true', CORS_ALLOW_ORIGIN: '*' },
});
test.before(async () => {
  const reply = succeeded(await service.get('/openapi.json', { token: null }));
  text = reply.text;
  document = reply.json();
});

function operation(method: string, path: string): Operation {
  const found = document.paths[path]?.[method];
  assert.ok(found, `${method} ${path} is missing`);
  return found;
}

const statuses = (method: string, path: string) => Object.keys(operation(method, path).responses);
const schemaOf = (method: string, path: string, status: number) =>
  operation(method, path).responses[status]?.content?.['application/json']?.schema;

test('is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(text));
  assert.ok(valid, JSON.stringify(errors)?.slice(0, 2_000));
});

test('operation ids are unique', () => {
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((each) => each.operationId));
  assert.equal(ids.length, new Set(ids).size);
});

test('responses without a body are 204, and sockets 101', () => {
  for (const [method, path] of [
    ['get', '/active'],
    ['get', '/kill/{id}'],
    ['post', '/kill/{id}'],
    ['delete', '/kill/{id}'],
    ['delete', '/session/{id}'],
    ['delete', '/session-files/{id}/{name}'],
  ] as const) {
    const { responses } = operation(method, path);
    assert.is(responses['200'], undefined, path);
    assert.ok(responses['204'] !== undefined && responses['204'].content === undefined, path);
  }
  for (const path of ['/', '/chromium', '/devtools/page/{id}', '/chrome/bql', '/firefox/playwright']) {
    assert.ok('101' in operation('get', path).responses, path);
  }
});

test('a path for both HTTP and WebSocket lists both kinds of response', () => {
  const own = statuses('get', '/reconnect/{id}');
  assert.ok(own.includes('101') && own.includes('200') && own.includes('410'));
});

test('each route lists only the errors that it can return', () => {
  assert.equal(statuses('get', '/active'), ['204', '401', '408', '500', '503']);
  assert.equal([statuses('get', '/healthz'), statuses('get', '/ready')], [['200'], ['200', '503']]);
  assert.equal(statuses('get', '/openapi.json'), ['200', '408', '500', '503']);
  assert.equal(statuses('get', '/sessions'), ['200', '400', '401', '403', '408', '500', '503']);
  assert.equal(statuses('put', '/session-files/{id}/{name}').join(), '200,201,400,401,403,404,408,410,500,503,507');
  assert.ok(statuses('delete', '/session/{id}').includes('409'));
  assert.ok(statuses('post', '/session').includes('429'));
  assert.ok(statuses('post', '/content').includes('502'));
});

test('only routes that do not need a token say so', () => {
  const open = Object.entries(document.paths).filter(([, path]) => Object.values(path).some((each) => each.security));
  assert.equal(open.map(([path]) => path).toSorted(), [
    '/.well-known/http-message-signatures-directory',
    '/bql/schema.graphql',
    '/docs/swagger.json',
    '/healthz',
    '/openapi.json',
    '/ready',
  ]);
});

test('every JSON response has a schema', () => {
  const without: string[] = [];
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      for (const [status, { content }] of Object.entries(responses)) {
        const { description: _, ...schema } = content?.['application/json']?.schema ?? { $ref: '' };
        if (Object.keys(schema).length === 0) without.push(`${method} ${path} ${status}`);
      }
    }
  }
  // The client's code may return anything.
  const paths = ['/function', '/function/{id}', '/chromium/function', '/chrome/function', '/edge/function'];
  assert.equal(without.toSorted(), paths.map((path) => `post ${path} 200`).toSorted());
});

test('a route lists only the parameters that it uses', () => {
  const namesAt = (path: string, method: string) =>
    operation(method, path).parameters.flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? []);
  const content = namesAt('/content', 'post');
  for (const name of ['token', 'timeout', 'launch', 'blockAds', 'proxy']) assert.ok(content.includes(name), name);
  for (const name of ['ttl', 'record', 'humanlike', 'force', 'keepalive']) assert.not(content.includes(name), name);
  assert.ok(namesAt('/chromium', 'get').includes('ttl'));
  assert.ok(namesAt('/chromium/bql', 'post').includes('humanlike'));
  assert.not(namesAt('/devtools/browser/{id}', 'get').includes('trackingId'));
});

test('BrowserQL returns GraphQL JSON also for 400 and 408', () => {
  const graphql = { $ref: '#/components/schemas/BrowserQL' };
  assert.equal(schemaOf('post', '/chromium/bql', 200), graphql);
  for (const status of [400, 408]) {
    assert.equal(schemaOf('post', '/session/bql/{id}', status), {
      anyOf: [graphql, { $ref: '#/components/schemas/Error' }],
    });
  }
});

test('bodies with code or files have their own content types', () => {
  const { requestBodies } = document.components;
  for (const name of ['function', 'download']) {
    const { content } = requestBodies[name] ?? { content: {} };
    assert.equal(Object.keys(content), ['application/json', 'application/javascript']);
    assert.match(String(content['application/javascript']?.example), /^export default async function/);
  }
  assert.equal(Object.keys(requestBodies['content']?.content ?? {}), ['application/json']);
  const file = operation('put', '/session-files/{id}/{name}').requestBody;
  assert.equal(Object.keys(file?.content ?? {}), ['application/octet-stream']);
});

for (const { encoding, unpack } of [
  { encoding: 'br', unpack: brotliDecompressSync },
  { encoding: 'gzip', unpack: gunzipSync },
]) {
  test(`is served with ${encoding} to clients that accept it`, async () => {
    for (let n = 0; n < 2; n++) {
      const reply = succeeded(await service.get('/openapi.json', { headers: { 'accept-encoding': encoding } }));
      assert.is(reply.headers['content-encoding'], encoding);
      assert.match(reply.headers['vary'] ?? '', /Accept-Encoding/);
      assert.is(new TextDecoder().decode(unpack(reply.bytes)), text);
      assert.ok(reply.bytes.length * 10 < text.length, `${reply.bytes.length} bytes`);
    }
  });
}

test('Vary lists Accept-Encoding and Origin', async () => {
  const reply = succeeded(await service.get('/openapi.json', { headers: { origin: 'https://example.com' } }));
  assert.is(reply.headers['content-encoding'], undefined);
  assert.is(reply.headers['vary'], 'Accept-Encoding, Origin');
});

test('each client gets the URL that it used, no matter how many host names clients use', async () => {
  const addressFor = async (name: string) => {
    const headers = { host: `${name}.example:8080`, 'accept-encoding': 'gzip' };
    const { bytes } = succeeded(await service.get('/openapi.json', { headers }));
    const { servers }: { servers: { url: string }[] } = JSON.parse(gunzipSync(bytes).toString());
    return servers.map(({ url }) => url);
  };
  // More names than the server keeps documents for, then the first again.
  const names = [...Array.from({ length: 30 }, (_, index) => `name-${index}`), 'name-0'];
  for (const name of names) assert.equal(await addressFor(name), [`http://${name}.example:8080`]);
});

test.peer('management and settings', '/docs/swagger.json describes the API');
test('is the same at /docs/swagger.json, and /docs redirects to the reference', async () => {
  const reply = succeeded(await service.get('/docs/swagger.json', { token: null }), 'application/json');
  assert.is(reply.text, text);
  const docs = await service.get('/docs', { token: null });
  assert.is(docs.status, 301);
  assert.is(docs.headers['location'], '/open-api');
});

test('a response that the document does not describe fails a test', async () => {
  const wrong: Record<string, { status: number; type: string; body: string }> = {
    '/config': { status: 418, type: 'application/json', body: '{}' },
    '/meta': { status: 200, type: 'text/html', body: '<p>' },
    '/json/list': { status: 200, type: 'application/json', body: '[{"id":1}]' },
    '/kill/all': { status: 204, type: 'text/plain', body: '' },
    '/json/new': { status: 401, type: 'application/json', body: '{"error":"x","code":"unauthorized","more":1}' },
    '/unknown': { status: 418, type: 'text/plain', body: '' },
  };
  const server = createServer(({ url = '' }, response) => {
    const { status, type, body } = wrong[url] ?? { status: 500, type: '', body: '' };
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    await watchResponses(origin, () => Promise.reject(new Error('the document is already known')));
    for (const path of Object.keys(wrong)) {
      await send(`${origin}${path}`, { method: path === '/json/new' ? 'PUT' : 'GET' });
    }
  } finally {
    server.close();
  }
  const [status = '', type = '', member = '', error = '', ...others] = takeViolations();
  assert.match(status, 'GET /config: status 418, where it lists 200, 401');
  assert.match(type, 'GET /meta: status 200 with the type "text/html", where it lists application/json');
  assert.match(member, /GET \/json\/list: status 200: .*must have required property/);
  assert.match(error, /PUT \/json\/new: status 401: .*must NOT have additional properties .*"more"/);
  assert.equal(others, []);
});

test('generated types compile and reject an unknown property', async (signal) => {
  const consumer = (member: string) => `import type { components, paths } from './api.ts';

type Sessions = paths['/sessions']['get']['responses'][200]['content']['application/json'];
type Code = NonNullable<components['requestBodies']['function']>['content'];
type Answer = paths['/chromium/bql']['post']['responses'][200]['content']['application/json'];

export const lines = (list: Sessions): string[] =>
  list.map(({ id, killURL, numbConnected, ...entry }) =>
    \`\${id} \${killURL} \${numbConnected.toFixed()} \${entry.type === 'page' ? entry.${member} : ''}\`,
  );
export const json: Code['application/json'] = { code: 'export default () => 1', context: {} };
export const script: Code['application/javascript'] = 'export default () => 1';
export const failed = ({ errors }: Answer): string[] => (errors ?? []).map(({ message }) => message);
export const error = ({ code }: components['schemas']['Error']): boolean => code === 'queue-full';
export const ended = (gone: paths['/kill/{id}']['get']['responses'][204]['content']): undefined => gone;
`;
  const settings = {
    extends: `${root}/tsconfig.json`,
    compilerOptions: { types: [], noEmit: true },
    include: ['*.ts'],
  };
  using tree = scratchTree({
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify(settings),
    'api.ts': astToString(await openapiTS(text)),
    'right.ts': consumer('devtoolsFrontendUrl'),
    'wrong.ts': consumer('noSuchMember'),
  });
  const { output } = await runTool('tsc', ['-p', '.'], tree.path, signal);

  assert.match(output, /wrong\.ts\(\d+,\d+\): error TS\d+: Property 'noSuchMember' does not exist/);
  assert.is(
    output
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith(' ')).length,
    1,
    output,
  );
});
