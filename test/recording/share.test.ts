// Links to recordings: who may create and delete them, what they give access to, and what they do not.
import { gunzipSync } from 'node:zlib';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { shareLimits } from '../../src/base/limits.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { send } from '../support/clients/http.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { changeMeta, directoryOf, makeReplay, packed, protocolEvent } from '../support/player/made-recordings.ts';
import { until } from '../support/until.ts';

const { test, service } = fixtureSuite('links to recordings', {
  env: { TOKEN: 'secret-token', SPARES: '0', LOG_LEVEL: 'debug', LIVE_FRAME_ANCESTORS: 'https://app.example.com' },
});
const video = new Uint8Array(5_000).map((_, index) => index % 251);
const events = packed([protocolEvent(1_000, 'navigation', { url: 'https://shop.example/' })]);

interface Link {
  url: string;
  id: string;
  expiresAt: number;
}

/** Creates a recording with a placeholder file for its video and a file of events. */
function make(): string {
  const now = Date.now();
  const id = makeReplay(service, [{ title: 'Shop', website: 'https://shop.example/', events }], [now - 9_000, now], {
    kind: 'video',
  });
  writeFileSync(join(directoryOf(service, id), 'tab-1.mp4'), video);
  return id;
}

const share = async (id: string, body: object = {}) =>
  succeeded(await service.post(`/recordings/${id}/share`, body)).json<Link>();
/** Sends a request as a person with the link but without a token. */
const open = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(`${service.url}${path}`, { method, headers });
const reads = { accept: 'text/html' };

test('a link opens the page and files without a token until it is deleted', async () => {
  const id = make();
  const before = Date.now();
  const link = await share(id, { timeout: 60_000 });
  assert.match(link.id, /^[\w-]{24}$/);
  assert.is(link.url, `${service.url}/player/?i=${link.id}`);
  assert.ok(link.expiresAt >= before + 60_000 && link.expiresAt <= Date.now() + 60_000);
  assert.ok((await share(id)).expiresAt >= before + shareLimits.defaultMs);

  for (const path of [`/player/?i=${link.id}`, `/player?i=${link.id}&theme=dark`, `/player/index.html?i=${link.id}`]) {
    const page = succeeded(await open(path, reads));
    assert.match(page.text, `data-from="/player/${link.id}"`);
    assert.match(
      String(page.headers['content-security-policy']),
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    assert.match(String(page.headers['content-security-policy']), 'frame-ancestors https://app.example.com;');
    assert.equal(
      [page.headers['referrer-policy'], page.headers['cache-control'], page.headers['x-robots-tag']],
      ['no-referrer', 'no-store', 'noindex'],
    );
  }
  const frame = succeeded(await open(`/player/${link.id}/replay`, reads));
  const policy = String(frame.headers['content-security-policy']);
  assert.match(policy, /^sandbox allow-scripts allow-same-origin; default-src 'none'; script-src 'self';/);
  // All enclosing pages count: the player and the sites that may frame the player.
  assert.match(policy, /frame-ancestors 'self' https:\/\/app\.example\.com$/);
  assert.not.match(policy, /connect-src|allow-(?:forms|popups|top-navigation|modals|downloads)/);

  const meta = succeeded(await open(`/player/${link.id}/meta`));
  assert.not.match(meta.text, /a-session|HeadlessChrome|page-1/);
  assert.equal(meta.json<{ kind: string; tabs: { title: string }[] }>().tabs[0]?.title, 'Shop');

  const part = await open(`/player/${link.id}/video.mp4?tab=1`, { range: 'bytes=10-19' });
  assert.equal([part.status, part.headers['content-range']], [206, `bytes 10-19/${video.length}`]);
  assert.equal(new Uint8Array(part.bytes), video.slice(10, 20));
  for (const range of ['bytes=5000-', 'bytes=99999999999999999999-', 'bytes=-0']) {
    refused(await open(`/player/${link.id}/video.mp4`, { range }), 416, /5000 bytes/);
  }
  const plain = succeeded(await open(`/player/${link.id}/events`, { 'accept-encoding': 'identity' }));
  assert.match(plain.text, /^\{"type":5.*\}\n$/);
  assert.is(plain.headers['content-encoding'], undefined);
  const packedReply = await fetch(`${service.url}/player/${link.id}/events`, {
    headers: { 'accept-encoding': 'br, gzip' },
  });
  assert.is(packedReply.headers.get('content-encoding'), 'gzip');
  assert.is(await packedReply.text(), gunzipSync(events).toString());
  for (const name of ['?i=', '/meta', '/replay', '/video.mp4', '/video.webm', '/events']) {
    const path = name.startsWith('?') ? `/player/${name}${link.id}` : `/player/${link.id}${name}`;
    const head = await open(path, {}, 'HEAD');
    assert.equal([head.status, head.bytes.length], [200, 0], name);
  }

  refused(await open(`/recordings/${id}/share/${link.id}`, {}, 'DELETE'), 401, /authentication/);
  const other = make();
  const end = (of: string, key: string) => service.get(`/recordings/${of}/share/${key}`, { method: 'DELETE' });
  refused(await end(other, link.id), 404, /no link/);
  assert.is((await end(id, link.id)).status, 204);
  refused(await end(id, link.id), 404, /no link/);
  const page = await open(`/player/?i=${link.id}`, reads);
  assert.is(page.status, 404);
  assert.match(page.text, /<h1>This link has expired<\/h1><p>This link does not work/);
  for (const name of ['meta', 'replay', 'video.mp4', 'video.webm', 'events']) {
    refused(await open(`/player/${link.id}/${name}`), 404, /does not work/);
  }
});

test('the token opens the player through a separate link, so that the URL does not contain the token', async () => {
  const id = make();
  const ways: [string, Record<string, string>][] = [
    ['?token=secret-token', {}],
    ['', { authorization: 'Bearer secret-token' }],
  ];
  const seen = new Set<string>();
  for (const [query, headers] of ways) {
    const answer = await fetch(`${service.url}/recordings/${id}/player${query}`, { headers, redirect: 'manual' });
    const location = answer.headers.get('location') ?? '';
    assert.is(answer.status, 303);
    assert.match(location, /\/player\/\?i=[\w-]{24}$/);
    seen.add(location);
    assert.is((await fetch(location, { headers: reads })).status, 200);
  }
  assert.is(seen.size, 2);
  refused(await open(`/recordings/${id}/player`), 401, /authentication/);
  refused(await service.get('/recordings/none/player'), 404, /no recording/);
  assert.is((await service.get(`/recordings/${id}/player`, { method: 'HEAD' })).headers['location'], undefined);
  // Too many visits remove the oldest links; shared links stay.
  const kept = await share(id);
  const visit = async () =>
    (await fetch(`${service.url}/recordings/${id}/player?token=secret-token`, { redirect: 'manual' })).headers.get(
      'location',
    ) ?? '';
  const first = await visit();
  for (let count = 0; count < shareLimits.visits; count++) await visit();
  assert.is((await fetch(first, { headers: reads })).status, 404);
  assert.is((await fetch(kept.url, { headers: reads })).status, 200);
});

test.proves('share:timeout');
test('links have a maximum lifetime and number, and expire with their recording', async () => {
  const id = make();
  const path = `/recordings/${id}/share`;
  refused(
    await service.post(path, { timeout: shareLimits.maxMs + 1 }),
    400,
    /"timeout" must be a number from 1 to 604800000, got 604800001/,
  );
  for (const timeout of [0, -1, 'x', null]) refused(await service.post(path, { timeout }), 400, /timeout/);
  refused(await service.post(path, { days: 1 }), 400, /days/);
  refused(await service.post(path, {}, { token: null }), 401, /authentication/);
  refused(await service.post('/recordings/none/share', {}), 404, /no recording/);
  refused(await service.post(path, {}, { query: { tab: 1 } }), 400, /tab/);
  const bare = await service.get(path, { method: 'POST' });
  assert.is(bare.status, 200);
  for (let count = 1; count < shareLimits.ofRecording; count++) await share(id, { timeout: shareLimits.maxMs });
  refused(await service.post(path, {}), 400, /can have at most 100 links/);

  const brief = await share(make(), { timeout: 300 });
  assert.is((await open(`/player/${brief.id}/meta`)).status, 200);
  await until('the link to expire', async () => (await open(`/player/${brief.id}/meta`)).status === 404);

  // Remove recordings through the route and through a quota, which needs no request.
  const byRoute = make();
  const byQuota = make();
  const links = [await share(byRoute), await share(byQuota)];
  assert.is((await service.get(`/recordings/${byRoute}`, { method: 'DELETE' })).status, 204);
  rmSync(directoryOf(service, byQuota), { recursive: true });
  for (const link of links) {
    refused(await open(`/player/${link.id}/meta`), 404, /does not work/);
    assert.is((await open(`/player/?i=${link.id}`, reads)).status, 404);
  }
});

test('while the recording is running, the page says so and offers to try again', async () => {
  const id = make();
  // No sweep runs in the meantime that would repair it.
  changeMeta(service, id, () => ({ state: 'recording', endedOn: null }));
  const link = await share(id);
  const page = await open(`/player/?i=${link.id}`, reads);
  assert.is(page.status, 409);
  assert.match(
    page.text,
    /<h1>Still recording<\/h1><p>The recording is still running: .*<a class="button" href="\/player\/\?i=[\w-]{24}">Try again<\/a>/,
  );
  for (const name of ['meta', 'video.mp4', 'video.webm', 'events']) {
    refused(await open(`/player/${link.id}/${name}`), 409, /still running/);
  }
});

test('pages from other sites get nothing, invalid tabs are rejected, and missing events return a 404', async () => {
  const id = make();
  const link = await share(id);
  for (const name of ['meta', 'video.mp4', 'video.webm', 'events']) {
    for (const origin of ['https://evil.example', 'null']) {
      refused(await open(`/player/${link.id}/${name}`, { origin }), 403, /Only pages from this server/);
    }
    // The placeholder video cannot be converted to WebM.
    assert.is((await open(`/player/${link.id}/${name}`, { origin: service.url }, 'HEAD')).status, 200, name);
  }
  for (const name of ['video.mp4', 'video.webm', 'events']) {
    for (const tab of ['0', '1.5', '../1', '101']) {
      refused(await open(`/player/${link.id}/${name}?tab=${tab}`), 400, /tab/);
    }
    refused(await open(`/player/${link.id}/${name}?tab=2`), 404, /tab 2/);
  }
  rmSync(join(directoryOf(service, id), 'events-1.ndjson.gz'));
  refused(await open(`/player/${link.id}/events`), 404, /no events of tab 1/);
});

test.shows('guessed-links', 'HTTP');
test('guessing links is rate limited, and keys do not appear in the log, error pages or metrics', async () => {
  const { id } = await share(make());
  await open(`/player/?i=${id}`, reads);
  await open(`/player/${id}/meta`, { origin: 'https://evil.example' });
  await open(`/player/${id}/none`, { origin: 'https://evil.example' });
  const metrics = await service.get('/metrics');
  let status = 0;
  const wrong = [...'!12345678'].filter((last) => last !== id[23]);
  for (let tries = 0; tries < 40 && status !== 429; tries++) {
    const guess = await open(`/player/?i=${id.slice(0, 23)}${wrong[tries % wrong.length]}`, reads);
    status = guess.status;
    // The page links to itself for a retry, and the id appears nowhere else.
    assert.not.match(guess.text.replaceAll(/href="[^"]*"/g, ''), id.slice(0, 23));
  }
  assert.is(status, 429);
  assert.is((await open(`/player/?i=${id}`, reads)).status, 200);
  assert.not.match(service.output() + metrics.text, id);
  assert.match(service.output(), '/player/:id/meta');
});
