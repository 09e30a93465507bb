// Whether a call gets a context or a process, depending on SESSION_ISOLATION and the `isolation` query parameter.
import * as assert from 'uvu/assert';
import { handshake, noSessions, type Query, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('isolation', { env: { SESSION_ISOLATION: 'context' } });

/** The profile that /sessions reports for a client; null for a virtual browser. */
async function profileOf(of: Service, query: Query = {}): Promise<string | null | undefined> {
  const client = await rawClient(socketUrl(of, '/', query));
  const [entry] = await sessionsOf(of);
  client.socket.close();
  await client.closed;
  await noSessions(of);
  return entry?.userDataDir;
}

test.proves('isolation@cdp');
test.differs('Each client gets a browser process');
test('a client gets the isolation that it requests, or a process if its options need one', async () => {
  assert.is(await profileOf(fixture.service), null);
  assert.is(await profileOf(fixture.service, { isolation: 'context' }), null);
  assert.type(await profileOf(fixture.service, { isolation: 'process' }), 'string');
  assert.type(await profileOf(fixture.service, { isolation: 'context', launch: '{"args":["--lang=de"]}' }), 'string');
  const wrong = await handshake(fixture.service, '/', { isolation: 'thread' });
  assert.is(wrong.status, 400);
  assert.match(wrong.text, 'isolation');
});

test.proves('isolation@audit isolation@playwright isolation@session');
test('where a process is always used, isolation=context is rejected with a fix', async () => {
  const query = { isolation: 'context' };
  const { id } = (await fixture.service.post('/session', {})).json<{ id: string }>();
  const answers = await Promise.all([
    handshake(fixture.service, '/chromium/playwright', query),
    handshake(fixture.service, `/session/connect/${id}`, query),
    fixture.service.post('/performance', { url: fixture.site.url }, { query }),
  ]);
  for (const { status, text } of answers) {
    assert.is(status, 400, text);
    assert.match(text, 'always gets its own process. Leave it out');
  }
  await fixture.service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } });
});

test.proves('isolation@page');
test('a REST call gets its own process with isolation=process', async () => {
  const started = () =>
    fixture.service.tree().filter(({ command }) => command.includes('--remote-debugging-pipe')).length;
  const call = (isolation: string, path: string) =>
    fixture.service.post('/content', { url: `${fixture.site.url}${path}` }, { query: { isolation } });
  await call('context', '/small');
  const before = started();
  const answer = call('process', '/slow');
  await until('its process', () => started() > before);
  assert.is((await answer).status, 200);
});

test.proves('ALLOWED_CDP_METHODS');
test('with ALLOWED_CDP_METHODS, every client gets a process', async () => {
  await using allowing = await startService({
    env: { SESSION_ISOLATION: 'context', ALLOWED_CDP_METHODS: 'SystemInfo.getInfo' },
  });
  assert.type(await profileOf(allowing), 'string');
});
