// Whether a call gets a context or a process, depending on SESSION_ISOLATION and the `isolation` query parameter.
import * as assert from 'uvu/assert';
import { handshake, type Query, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('isolation', { timeoutMs: 60_000 });
let site: Site;
let service: Service;

test.before(async () => {
  site = await startSite();
  service = await startService({ env: { SESSION_ISOLATION: 'context' } });
});
test.after(() => stopAll(service, site));

/** The profile that /sessions reports for a client; null for a virtual browser. */
async function profileOf(of: Service, query: Query = {}): Promise<string | null | undefined> {
  const client = await rawClient(socketUrl(of, '/', query));
  const [entry] = await sessionsOf(of);
  client.socket.close();
  await client.closed;
  await until('all sessions to end', async () => (await sessionsOf(of)).length === 0);
  return entry?.userDataDir;
}

test.proves('isolation@cdp');
test.differs('Each client gets a browser process');
test('a client gets the isolation that it requests, or a process if its options need one', async () => {
  assert.is(await profileOf(service), null);
  assert.is(await profileOf(service, { isolation: 'context' }), null);
  assert.type(await profileOf(service, { isolation: 'process' }), 'string');
  assert.type(await profileOf(service, { isolation: 'context', launch: '{"args":["--lang=de"]}' }), 'string');
  const wrong = await handshake(service, '/', { isolation: 'thread' });
  assert.is(wrong.status, 400);
  assert.match(wrong.text, 'isolation');
});

test.proves('isolation@audit isolation@playwright isolation@session');
test('where a process is always used, isolation=context is rejected with a fix', async () => {
  const query = { isolation: 'context' };
  const { id } = (await service.post('/session', {})).json<{ id: string }>();
  const answers = await Promise.all([
    handshake(service, '/chromium/playwright', query),
    handshake(service, `/session/connect/${id}`, query),
    service.post('/performance', { url: site.url }, { query }),
  ]);
  for (const { status, text } of answers) {
    assert.is(status, 400, text);
    assert.match(text, 'always gets its own process. Leave it out');
  }
  await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } });
});

test.proves('isolation@page');
test('a REST call gets its own process with isolation=process', async () => {
  const started = () => service.tree().filter(({ command }) => command.includes('--remote-debugging-pipe')).length;
  const call = (isolation: string, path: string) =>
    service.post('/content', { url: `${site.url}${path}` }, { query: { isolation } });
  await call('context', '/small');
  const before = started();
  const answer = call('process', '/slow');
  await until('its process', () => started() > before);
  assert.is((await answer).status, 200);
});

test.proves('ALLOWED_CDP_METHODS');
test('with ALLOWED_CDP_METHODS, every client gets a process', async () => {
  const allowing = await startService({
    env: { SESSION_ISOLATION: 'context', ALLOWED_CDP_METHODS: 'SystemInfo.getInfo' },
  });
  try {
    assert.type(await profileOf(allowing), 'string');
  } finally {
    await allowing.stop();
  }
});
