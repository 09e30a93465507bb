// BrowserQL: replays of documents and stopSessionRecording.
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';
import { sessionsOf } from '../support/clients/clients.ts';
import { ended, eventsOf, type Listed, listed } from '../support/clients/recordings.ts';
import { until } from '../support/until.ts';
import { quickStealth } from './quick-stealth.ts';

const { test, fixture } = bqlSuite('BrowserQL replays', { env: { ...quickStealth, TOKEN: 'bql-token', SPARES: '0' } });

test.after.each(async () => {
  await fixture.service.get('/kill/all');
  await until('all sessions to end', async () => (await sessionsOf(fixture.service)).length === 0);
});

/** Everything that a recording contains, as text. */
async function textOf({ id, tabs }: Listed): Promise<string> {
  const all = await Promise.all(tabs.map(({ tab }) => eventsOf(fixture.service, id, tab)));
  return JSON.stringify(all);
}

test.proves('replay@bql');
test('replay=true records until stopSessionRecording or the end of the document', async () => {
  const query = { replay: true, trackingId: 'document' };
  const data = await fixture.data(
    `mutation {
      goto(url: "SITE/replay/form") { status }
      before: evaluate(content: "document.body.append('said before')") { value }
      stopSessionRecording { success error url }
      again: stopSessionRecording { success error url }
      after: evaluate(content: "document.body.append('said after')") { value }
    }`,
    { query },
  );
  const { success, error, url } = data['stopSessionRecording'];
  assert.equal([success, error], [true, null]);
  assert.equal([data['again'].success, data['again'].url], [false, null]);
  assert.match(data['again'].error, /replay=true.*has ended/);
  const recording = await ended(fixture.service, String(url).split('/').at(-1) ?? '');
  assert.is(recording.trackingId, 'document');
  const text = await textOf(recording);
  assert.match(text, 'said before');
  assert.not.match(text, 'said after');

  await fixture.data('mutation { goto(url: "SITE/replay/app") { status } }', {
    query: { ...query, trackingId: 'whole' },
  });
  const { recordings } = await listed(fixture.service, { trackingId: 'whole' });
  assert.equal(
    recordings.map(({ state, reason }) => [state, reason]),
    [['finished', 'The document ended.']],
  );
  const none = await fixture.data('mutation { stopSessionRecording { success error url } }');
  assert.equal(none['stopSessionRecording'], {
    success: false,
    error: 'No replay is being recorded. Send the document with replay=true.',
    url: null,
  });
});

test.proves('replay@bql-kept replay@bql-session');
test.needs('a full Chromium');
test('each document starts a separate replay, in a reconnectable browser and in a session', async () => {
  const go = 'goto(url: "SITE/replay/app") { status }';
  const { reconnect } = await fixture.data(`mutation { ${go} reconnect(timeout: 20000) { browserQLEndpoint } }`, {
    query: { replay: true },
  });
  const session = (await fixture.service.post('/session', { stealth: true })).json<{ browserQL: string; id: string }>();
  for (const address of [reconnect.browserQLEndpoint, session.browserQL]) {
    const path = new URL(address).pathname;
    const before = (await listed(fixture.service)).recordings.length;
    await fixture.data(`mutation { ${go} reconnect(timeout: 20000) { browserQLEndpoint } }`, { path });
    await fixture.data(`mutation { ${go} }`, { path, query: { replay: true } });
    const { recordings } = await listed(fixture.service);
    assert.is(recordings.length, before + 1, path);
    assert.equal([recordings[0]?.state, recordings[0]?.reason], ['finished', 'The document ended.'], path);
  }
  const own = (await fixture.service.post('/session', { stealth: true, replay: true })).json<{ browserQL: string }>();
  await fixture.data(`mutation { ${go} }`, { path: new URL(own.browserQL).pathname });
  assert.is((await listed(fixture.service)).recordings[0]?.state, 'recording');
});
