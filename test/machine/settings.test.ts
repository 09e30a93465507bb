// Effects of settings that no other test covers: where the server listens, when a browser is replaced, what CORS allows,
// which programs are started with which switches.
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { handshake, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('settings', { timeoutMs: 90_000 });

async function withServices(
  envs: readonly Record<string, string>[],
  body: (...services: Service[]) => Promise<void>,
): Promise<void> {
  const services = await Promise.all(envs.map((env) => startService({ env: { SPARES: '0', ...env } })));
  try {
    await body(...services);
  } finally {
    await stopAll(...services);
  }
}

test.proves('HOST');
test('HOST is the address on which the server listens', async () => {
  const elsewhere = (service: Service | undefined) =>
    fetch(`http://127.0.0.2:${service?.port}/active`).then(
      ({ status }) => status,
      () => 'refused',
    );
  await withServices([{ HOST: '0.0.0.0' }, { HOST: '127.0.0.1' }], async (every, one) => {
    assert.equal([await elsewhere(every), await elsewhere(one)], [204, 'refused']);
  });
});

for (const [name, value, reason] of [
  ['RECYCLE_AGE_MS', '1', 'age'],
  ['RECYCLE_MEMORY_MB', '1', 'memory'],
] as const) {
  test.proves(name);
  test(`a shared browser is replaced when it exceeds ${name}`, () =>
    withServices([{ [name]: value }], (service) => replaced(service, reason)));
}

/** Sends requests until the browser has been replaced; its memory is checked every five seconds. */
const replaced = async (service: Service, reason: string): Promise<void> => {
  const told = () => service.logs().find(({ event }) => event === 'browser.recycled');
  const line = await until('a new browser', async () => {
    succeeded(await service.post('/content', { html: 'x' }));
    return told();
  });
  assert.is(line['reason'], reason);
};

test.proves('MAX_MEMORY_PERCENT FAILED_HEALTH_URL');
test('FAILED_HEALTH_URL is called when the machine is overloaded', async () => {
  await using site = await startSite();
  const url = `${site.url}/status/200?health`;
  await withServices([{ HEALTH: 'true', MAX_MEMORY_PERCENT: '1', FAILED_HEALTH_URL: url }], async (service) => {
    refused(await service.post('/content', { html: 'x' }), 429);
    const { method, query } = await site.waitForRequest('/status/200');
    assert.equal([method, [...query.keys()]], ['GET', ['health']]);
  });
});

test.proves('CORS CORS_ALLOW_METHODS CORS_ALLOW_HEADERS CORS_EXPOSE_HEADERS CORS_ALLOW_CREDENTIALS CORS_MAX_AGE');
test('CORS methods, headers, credentials and max age come from the settings', () =>
  withServices(
    [
      {
        CORS: 'true',
        CORS_ALLOW_ORIGIN: 'https://app.example.com',
        CORS_ALLOW_METHODS: 'POST',
        CORS_ALLOW_HEADERS: 'content-type',
        CORS_EXPOSE_HEADERS: 'x-request-id',
        CORS_ALLOW_CREDENTIALS: 'false',
        CORS_MAX_AGE: '7',
      },
    ],
    async (service) => {
      const { headers } = await service.get('/content', {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example.com' },
      });
      const allowed = Object.entries(headers).filter(([name]) => name.startsWith('access-control-'));
      assert.equal(Object.fromEntries(allowed), {
        'access-control-allow-origin': 'https://app.example.com',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type',
        'access-control-expose-headers': 'x-request-id',
        'access-control-allow-credentials': 'false',
        'access-control-max-age': '7',
      });
    },
  ));

test.proves('CHROMIUM_PATH SHELL_PATH CHROME_PATH EDGE_PATH FIREFOX_PATH WEBKIT_PATH');
test('each browser is started from the path in its setting', () => {
  const [shell, ...others] = [
    'SHELL_PATH',
    'CHROMIUM_PATH',
    'CHROME_PATH',
    'EDGE_PATH',
    'FIREFOX_PATH',
    'WEBKIT_PATH',
  ] as const;
  const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `/no/such/${name}`]));
  return withServices([named([shell]), named(others)], async (without, service) => {
    assert.ok(without && service);
    const full = { query: { launch: '{"headless":true}' } };
    const agent = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };
    const answers = {
      [shell]: await without.post('/content', { html: 'x' }),
      CHROMIUM_PATH: await service.post('/chromium/content', { html: 'x' }, full),
      CHROME_PATH: await service.post('/chrome/content', { html: 'x' }, full),
      EDGE_PATH: await service.post('/edge/content', { html: 'x' }, full),
      FIREFOX_PATH: await handshake(service, '/firefox/playwright', {}, agent),
      WEBKIT_PATH: await handshake(service, '/webkit/playwright', {}, agent),
    };
    for (const [name, { status, text }] of Object.entries(answers)) {
      assert.is(status, 404, `${name}: ${text}`);
      assert.match(text, `${name} names /no/such/${name}`);
    }
  });
});

test.proves('ALLOWED_LAUNCH_ARGS');
test('ALLOWED_LAUNCH_ARGS allows switches that the server does not know', () =>
  withServices([{ ALLOWED_LAUNCH_ARGS: 'made-up' }], async (service) => {
    const call = (arg: string) =>
      service.post('/content', { html: 'x' }, { query: { launch: JSON.stringify({ args: [arg] }) } });
    succeeded(await call('--made-up=1'));
    refused(await call('--made-down=1'), 400, '--made-down');
  }));

test.proves('SESSION_ISOLATION');
test('SESSION_ISOLATION gives socket clients their own process or a context in a shared one', async () => {
  const envs = [{ SESSION_ISOLATION: 'process' }, { SESSION_ISOLATION: 'context' }];
  await withServices(envs, async (...services) => {
    const profiles: unknown[] = [];
    for (const service of services) {
      const client = await rawClient(socketUrl(service, '/'));
      profiles.push(typeof (await sessionsOf(service))[0]?.userDataDir);
      client.socket.close();
      await client.closed;
    }
    assert.equal(profiles, ['string', 'object']);
  });
});
