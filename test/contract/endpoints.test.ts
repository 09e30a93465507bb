// Which requests a server without a token accepts: every route with {no, own, evil, null} Origin and {own, evil} host
// name, clients by their IP address, and what lifts the check. A real page's attacks are in doors-page.test.ts.
import * as assert from 'uvu/assert';
import { directRoutes, jobRoutes, socketRoutes, uiRoutes, uiSocketRoutes } from '../../src/api/routes/table.ts';
import { directRoute, mounts } from '../../src/api/routes/pipeline/route.ts';
import { handshake } from '../support/clients/clients.ts';
import { type Call, send } from '../support/clients/http.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('doors');
let open: Service;
let closed: Service;

test.before(async () => {
  open = await startService({ env: { SPARES: '0', ALLOW_GET: 'true' } });
  closed = await startService({ env: { SPARES: '0', TOKEN: 'secret-token' } });
});
test.after(() => stopAll(open, closed));

const own = () => `127.0.0.1:${open.port}`;
const origins = { none: undefined, own: () => `http://${own()}`, evil: 'https://evil.example', null: 'null' };
const hosts = { own: () => own(), evil: () => `evil.example:${open.port}` };

interface Endpoint {
  name: string;
  /** Responds under every host name and to every page: probes and documentation. */
  openToAll?: boolean;
  request(headers: Record<string, string>): Promise<number>;
}

/** A path of the table with an id that does not exist. */
const concrete = (path: string) => path.replace(/:\w+(\{[^}]*\})?/g, 'nobody');

function rest(method: string, path: string, openToAll = false): Endpoint {
  // An invalid body: a request that passes the check is rejected later, without a browser.
  const body = ['POST', 'PUT'].includes(method) && path !== '/json/new' ? '{"no-such-field":1}' : undefined;
  return {
    name: `${method} ${path}`,
    openToAll,
    async request(headers) {
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      const call: Call = { method, headers: { ...type, ...headers }, ...(body === undefined ? {} : { body }) };
      return (await send(`${open.url}${path}`, call)).status;
    },
  };
}

function endpoints(): Endpoint[] {
  const pages = jobRoutes.flatMap((route) =>
    (route.mounts ?? mounts).map(({ prefix }) => rest('POST', concrete(`${prefix}/${route.name}`))),
  );
  const free = new Set([
    '/active',
    '/openapi.json',
    '/docs/swagger.json',
    '/bql/schema.graphql',
    // A replay's document has no origin and requests its script.
    '/_ui/*',
    '/.well-known/http-message-signatures-directory',
  ]);
  const managed = [...directRoutes, ...uiRoutes].flatMap(({ method, otherMethods = [], path, probe }) =>
    // An event stream never ends; HEAD runs the same checks.
    [path === '/dashboard/events' ? 'HEAD' : method, ...otherMethods].map((each) =>
      rest(each, concrete(path), probe !== undefined || free.has(path)),
    ),
  );
  const sockets = [...socketRoutes, ...uiSocketRoutes].map(({ path }): Endpoint => {
    const address = concrete(path);
    return {
      name: `WebSocket ${path}`,
      request: async (headers) => (await handshake(open, address, { timeout: 'wrong' }, headers)).status,
    };
  });
  return [
    ...pages,
    ...managed,
    ...sockets,
    rest('GET', '/content?body={"no-such-field":1}'),
    rest('GET', '/rest-apis/pdf-api', true),
    rest('HEAD', '/kill/nobody'),
  ];
}

for (const [hostName, host] of Object.entries(hosts)) {
  for (const [originName, origin] of Object.entries(origins)) {
    test(`every route, host ${hostName}, origin ${originName}`, async () => {
      const problems: string[] = [];
      const headers = {
        Host: host(),
        ...(origin === undefined ? {} : { Origin: typeof origin === 'string' ? origin : origin() }),
      };
      const foreign = hostName === 'evil' || originName === 'evil' || originName === 'null';
      for (const endpoint of endpoints()) {
        const status = await endpoint.request(headers);
        const refused = status === 403;
        const expectRefusal = foreign && endpoint.openToAll !== true;
        if (refused !== expectRefusal) problems.push(`${endpoint.name}: ${status}`);
      }
      assert.equal(problems, []);
    });
  }
}

const ask = (service: Service, path: string, headers: Record<string, string>, method = 'GET') =>
  send(`${service.url}${path}`, { method, headers });

test('accepts host names that cannot be public; for others, names the setting that allows them', async () => {
  const fine = [
    'localhost',
    '[::1]',
    '10.1.2.3',
    'browserd',
    'a.localhost',
    'nas.local',
    'x.internal',
    'a.b.svc',
    'p.svc.cluster.local',
    'LOCALHOST.',
  ];
  for (const name of fine) {
    assert.is((await ask(open, '/sessions', { Host: `${name}:${open.port}` })).status, 200, name);
  }
  for (const name of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    'user@localhost',
    'localhost/x',
    'a b',
  ]) {
    const reply = await ask(open, '/sessions', { Host: name });
    assert.ok([400, 403].includes(reply.status), `${name}: ${reply.status}`);
    if (reply.status === 403) assert.match(reply.text, 'ALLOWED_HOSTS');
  }
});

test("the server's own pages can call it under each of its names and through a TLS proxy", async () => {
  for (const [Host, Origin] of [
    [`localhost:${open.port}`, `http://localhost:${open.port}`],
    ['browserd', 'https://browserd'],
    ['browserd:443', 'https://browserd'],
    ['[::1]:80', 'http://[::1]'],
  ] as const) {
    assert.is((await ask(open, '/sessions', { Host, Origin })).status, 200, Origin);
  }
  for (const Origin of [
    `http://localhost:${open.port + 1}`,
    'http://localhost',
    'chrome-extension://abc',
    'nonsense',
    '',
  ]) {
    const reply = await ask(open, '/sessions', { Host: `localhost:${open.port}`, Origin });
    assert.is(reply.status, 403, Origin);
  }
});

test.shows('foreign-site', 'HTTP');
test('pages from other sites and ports cannot change anything', async () => {
  for (const site of ['cross-site', 'same-site']) {
    for (const [method, path] of [
      ['GET', '/kill/all'],
      ['HEAD', '/kill/all'],
      ['POST', '/kill/all'],
      ['DELETE', '/session/x'],
      ['PUT', '/json/new'],
      ['GET', '/content?body={}'],
    ] as const) {
      const reply = await ask(open, path, { 'Sec-Fetch-Site': site }, method);
      assert.is(reply.status, 403, `${site} ${method} ${path}`);
    }
    assert.is((await ask(open, '/sessions', { 'Sec-Fetch-Site': site })).status, 200);
  }
  for (const site of ['none', 'same-origin']) {
    assert.is((await ask(open, '/kill/all', { 'Sec-Fetch-Site': site })).status, 204, site);
  }
});

test('no spelling of a path bypasses the check', async () => {
  const evil = { Host: 'evil.example' };
  for (const path of ['/%73essions', '/sessions/', '/session%73', '/%6Bill/all', '/json/versio%6E', '/%63onfig?x']) {
    assert.is((await ask(open, path, evil)).status, 403, path);
  }
  for (const path of ['/%6Bill/all', '/kill/%61ll', '/k%69ll/all/', '/%63ontent?body={}', '/content/?body={}']) {
    for (const method of ['GET', 'HEAD']) {
      // A body in the query is read only for a GET.
      if (method === 'HEAD' && path.includes('body')) continue;
      assert.is((await ask(open, path, { 'Sec-Fetch-Site': 'cross-site' }, method)).status, 403, `${method} ${path}`);
    }
  }
});

test('a session can be created only from JSON', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const reply = await send(`${open.url}/session`, { method: 'POST', headers: { 'content-type': type }, body: '{}' });
    assert.is(reply.status, 404, type);
    assert.match(reply.text, 'Content-Type: application/json');
  }
});

test('an explicit token lifts the check; an unneeded token or one that the browser adds does not', async () => {
  const evil = { Host: 'evil.example', Origin: 'https://evil.example' };
  assert.is((await ask(closed, '/sessions?token=secret-token', evil)).status, 200);
  assert.is((await ask(closed, '/sessions', { ...evil, Authorization: 'Bearer secret-token' })).status, 200);
  assert.is((await ask(closed, '/sessions?token=wrong', evil)).status, 401);
  assert.is((await ask(open, '/sessions?token=x', evil)).status, 403);
  const Authorization = `Basic ${btoa('secret-token:')}`;
  assert.is((await ask(closed, '/sessions', { Authorization })).status, 200);
  assert.is((await ask(closed, '/sessions', { Authorization, Origin: 'https://evil.example' })).status, 403);
  assert.is((await ask(closed, '/kill/all', { Authorization, 'Sec-Fetch-Site': 'cross-site' })).status, 403);
  assert.is((await ask(closed, '/kill/all', { Authorization, 'Sec-Fetch-Site': 'same-origin' })).status, 204);
});

test.differs('Without `TOKEN`, anyone may send requests');
test('without a token, only clients in private networks are served, also behind a proxy; documentation is public', async () => {
  for (const address of [
    '203.0.113.9',
    '10.0.0.1, 203.0.113.9',
    '203.0.113.9, 10.0.0.1',
    '[2001:db8::1]:443',
    'unknown',
    '203.0.113.9:80',
  ]) {
    const reply = await ask(open, '/sessions', { 'X-Forwarded-For': address });
    assert.is(reply.status, 401, address);
    assert.match(reply.text, 'TOKEN');
    assert.is((await ask(open, '/rest-apis/pdf-api', { 'X-Forwarded-For': address })).status, 200, address);
    assert.is((await handshake(open, '/', {}, { 'X-Forwarded-For': address })).status, 401, address);
  }
  for (const address of [
    '10.0.0.1',
    '100.64.0.1',
    '192.168.1.1:55',
    'fd00::1',
    '::ffff:172.16.0.9',
    '[fe80::1]:9',
    '',
  ]) {
    assert.is((await ask(open, '/sessions', { 'X-Forwarded-For': address })).status, 200, address);
  }
  assert.is((await ask(closed, '/sessions?token=secret-token', { 'X-Forwarded-For': '203.0.113.9' })).status, 200);
});

test.proves('ALLOWED_HOSTS ALLOWED_CLIENTS CORS_ALLOW_ORIGIN');
test('settings allow additional hosts, clients, and origins', async () => {
  await using service = await startService({
    env: {
      SPARES: '0',
      ALLOWED_HOSTS: 'browsers.example.com,*.default',
      ALLOWED_CLIENTS: '203.0.113.0/24',
      EXTERNAL: 'https://pdf.example.org/base',
      BLOCK_PRIVATE_NETWORK: 'false',
      CORS: 'true',
      CORS_ALLOW_ORIGIN: '(https://app.example.com|https://*.trusted.example)',
    },
  });
  for (const Host of ['browsers.example.com', 'web.default', 'pdf.example.org', 'PDF.example.org:443']) {
    assert.is((await ask(service, '/sessions', { Host })).status, 200, Host);
  }
  assert.is((await ask(service, '/sessions', { Host: 'browsers.example.com.evil.example' })).status, 403);
  assert.is((await ask(service, '/sessions', { 'X-Forwarded-For': '203.0.113.9' })).status, 200);
  for (const Origin of ['https://pdf.example.org', 'https://app.example.com', 'https://a.trusted.example']) {
    assert.is((await ask(service, '/sessions', { Origin })).status, 200, Origin);
  }
  for (const Origin of ['https://evil.example', 'null', 'https://trusted.example.evil.example']) {
    const reply = await ask(service, '/sessions', { Origin });
    assert.is(reply.status, 403, Origin);
    assert.is(reply.headers['access-control-allow-origin'], undefined);
  }
});

test('CORS for all origins: the origin is echoed without credentials, and does not replace a token', async () => {
  const env = { SPARES: '0', CORS: 'true' };
  await using free = await startService({ env });
  await using asking = await startService({ env: { ...env, TOKEN: 'secret-token' } });
  const evil = { Origin: 'https://evil.example' };
  assert.is((await ask(free, '/sessions', evil)).status, 403);
  assert.ok(
    free.logs().some(({ message }) => String(message).includes('CORS_ALLOW_ORIGIN')),
    'startup logs it',
  );
  const reply = await ask(asking, '/sessions?token=secret-token', evil);
  assert.is(reply.status, 200);
  assert.is(reply.headers['access-control-allow-origin'], evil.Origin);
  assert.is(reply.headers['access-control-allow-credentials'], undefined);
  const none = await ask(asking, '/sessions?token=secret-token', { Origin: 'null' });
  assert.is(none.headers['access-control-allow-origin'], undefined);
  assert.is((await ask(asking, '/sessions', evil, 'OPTIONS')).status, 204);
});

test('startup logs once that there is no token; with one, it logs what pages can reach', () => {
  const notices = (service: Service) => service.logs().filter(({ event }) => event === 'config.notice');
  assert.is(notices(open).filter(({ message }) => String(message).startsWith('TOKEN is not set')).length, 1);
  assert.is(notices(closed).filter(({ message }) => /private networks/.test(String(message))).length, 1);
});

test('every route with a parameter in its path says what it names, which the compiler asks for', () => {
  const named = [...directRoutes, ...uiRoutes, ...socketRoutes, ...uiSocketRoutes].filter(({ path }) =>
    path.includes(':'),
  );
  assert.ok(named.length > 40);
  for (const { path, subject } of named) assert.ok(subject, path);
  const route = { summary: '', description: '', answers: [], handle: () => new Response() } as const;
  directRoute('manage', 'GET /things', route);
  // @ts-expect-error -- without `subject`, other servers of a cluster would not find the thing.
  directRoute('manage', 'GET /things/:id', route);
});
