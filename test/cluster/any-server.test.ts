// A cluster with only a list of its servers: any server that receives a request finds its session, browser or file on
// another server. Each request goes to a server that does not have it.
import puppeteer from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { loginAt, profilesKey, seenBy, upload, welcome } from '../support/clients/profiles.ts';
import { command, ended, listed, move } from '../support/clients/recordings.ts';
import type { Reply } from '../support/clients/http.ts';
import { others, startListed } from '../support/cluster.ts';
import { type CallOptions, type Service, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { figure, suite } from '../support/suite.ts';

const test = suite('any server of a cluster', { timeoutMs: 120_000 });
let servers: [Service, Service, Service];
/** The server that has the targets of the requests. */
let home: Service;
/** Returns the other servers in turn. */
let turns: () => Service;
let site: Site;
/** Requests sent to a server that did not have their target. */
let calls = 0;

test.before(async () => {
  site = await startSite();
  servers = await startListed(3, { PROFILES_KEY: profilesKey });
  [, home] = servers;
  turns = others(servers, home);
});
test.after(() => stopAll(...servers, site));

const pathOf = (address: string) => new URL(address).pathname;
const wrong = (): Service => {
  calls++;
  return turns();
};
const ask = (method: string, path: string, options: CallOptions & { body?: unknown } = {}): Promise<Reply> => {
  const { body, ...rest } = options;
  return body === undefined ? wrong().get(path, { ...rest, method }) : wrong().post(path, body, { ...rest, method });
};

interface Created {
  id: string;
  connect: string;
  browserQL: string;
  stop: string;
}

interface Answered {
  data: { goto: { status: number } };
}

test.needs('a full Chromium');
test('a session on one server: its clients, documents, files, and deletion', async () => {
  const asked = { ttl: 60_000, processKeepAlive: 60_000, stealth: true };
  const made = succeeded(await home.post('/session', asked)).json<Created>();
  assert.match(made.id, /^[a-z2-7]{6}-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  const browser = await connect(wrong(), pathOf(made.connect));
  const page = await browser.newPage();
  await page.goto(`${site.url}/small`);
  await browser.disconnect();
  const document = { query: `mutation { goto(url: "${site.url}/small") { status } }` };
  const answered = succeeded(await ask('POST', pathOf(made.browserQL), { body: document }));
  assert.is(answered.json<Answered>().data.goto.status, 200);
  const socket = new WebSocket(socketUrl(wrong(), pathOf(made.browserQL)), ['odd', 'graphql-transport-ws']);
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));
  assert.is(socket.protocol, 'graphql-transport-ws');
  socket.close();

  const file = `/session-files/${made.id}/notes.txt`;
  assert.is((await ask('PUT', file, { body: 'some notes' })).status, 201);
  assert.is(succeeded(await ask('GET', file)).text, 'some notes');
  assert.match(succeeded(await ask('GET', `/session-files/${made.id}`)).text, 'notes.txt');
  assert.is((await ask('DELETE', file)).status, 204);

  assert.is((await ask('DELETE', pathOf(made.stop))).status, 204);
  refused(await home.post(pathOf(made.browserQL), document), 404);
});

test('a browser on one server: its sockets, its pages, a live view, its shutdown', async () => {
  const browser = await connect(home, '/', { trackingId: 'tracked' });
  const page = await browser.newPage();
  await page.goto(`${site.url}/small`);
  const { browserId } = (await sessionsOf(home))[0] ?? { browserId: '' };
  for (const path of [`/devtools/browser/${browserId}`, `/function/connect/${browserId}`]) {
    const again = await puppeteer.connect({ browserWSEndpoint: socketUrl(wrong(), path) });
    const titles = await Promise.all((await again.pages()).map((each) => each.title()));
    assert.ok(titles.includes('Small'));
    await again.disconnect();
  }
  const pages = (await home.get('/json/list')).json<{ id: string; title: string }[]>();
  const small = pages.find(({ title }) => title === 'Small');
  for (const server of [wrong(), wrong()]) {
    const onPage = await rawClient(socketUrl(server, `/devtools/page/${small?.id}`));
    const { result } = await onPage.send('Runtime.evaluate', { expression: 'document.title' });
    assert.match(JSON.stringify(result), 'Small');
    onPage.socket.close();
    await onPage.closed;
  }

  const body = { url: `${site.url}/small` };
  const live = `/browser/${browserId}/live`;
  const { liveURLId: key } = succeeded(await ask('POST', live, { body: {} })).json<{ liveURLId: string }>();
  succeeded(await ask('GET', `${live}/${key}`));
  const shown = { query: { i: key }, token: null };
  assert.match(succeeded(await ask('GET', '/live/', shown)).text, '<html');
  assert.is((await handshake(wrong(), `/live/${key}`, { token: '' }, { Origin: 'http://evil.example' })).status, 403);
  assert.is((await handshake(wrong(), `/live/${key}`, { token: '' })).status, 101);
  assert.is((await ask('DELETE', `${live}/${key}`)).status, 204);
  refused(await ask('GET', '/live/', shown), 404);

  assert.is((await ask('GET', '/kill/tracked')).status, 204);
  await browser.close().catch(() => undefined);
  refused(await ask('GET', '/kill/tracked'), 404);
  const second = await connect(home);
  const [entry] = await sessionsOf(home);
  assert.is((await ask('DELETE', `/browser/${entry?.browserId}`)).status, 204);
  await second.close().catch(() => undefined);
  succeeded(await home.post('/content', body));
});

test('a reconnectable browser on one server: by socket and by BrowserQL', async () => {
  const client = await rawClient(socketUrl(home, '/'));
  const { result } = await client.send('Browserless.reconnect', { timeout: 60_000, auth: 'its-own' });
  client.socket.close();
  await client.closed;
  const path = pathOf(String(result?.['browserWSEndpoint']));
  const query = { token: 'its-own' };
  assert.match(succeeded(await ask('GET', path, { query, token: null })).text, 'webSocketDebuggerUrl');
  assert.is((await handshake(wrong(), path, { token: 'no-such-token' })).status, 401);
  const oddProtocols = { 'Sec-WebSocket-Protocol': 'a b, @, ok, ok' };
  assert.is((await handshake(wrong(), path, query, oddProtocols)).status, 101);
  const again = await rawClient(socketUrl(wrong(), path, query));
  assert.is((await again.send('Browser.getVersion')).error, undefined);
  const document = { query: `mutation { goto(url: "${site.url}/small") { status } }` };
  const bql = path.replace('/reconnect/', '/chromium/bql/');
  const answered = succeeded(await ask('POST', bql, { body: document, query, token: null }));
  assert.is(answered.json<Answered>().data.goto.status, 200);
  await again.send('Browser.close');
  await again.closed;
});

test('a recording on one server: its contents, a link, its player, its deletion', async () => {
  const browser = await connect(home, '/', { replay: true });
  const page = await browser.newPage();
  await page.goto(`${site.url}/small`);
  await move(page);
  const { recordingId } = await command(await page.createCDPSession(), 'stopSessionRecording');
  await browser.close();
  const id = recordingId ?? '';
  await ended(home, id);
  assert.is(succeeded(await ask('GET', `/recordings/${id}`)).json<{ id: string }>().id, id);
  const { tabs } = (await listed(home)).recordings.find((each) => each.id === id) ?? { tabs: [] };
  const tab = tabs.find(({ website }) => website.endsWith('/small'))?.tab ?? 0;
  assert.match(succeeded(await ask('GET', `/recordings/${id}/events`, { query: { tab } })).text, '/small');
  const link = succeeded(await ask('POST', `/recordings/${id}/share`, { body: {} })).json<{ id: string }>();
  assert.match(succeeded(await ask('GET', '/player/', { query: { i: link.id }, token: null })).text, '<html');
  succeeded(await ask('GET', `/player/${link.id}/meta`, { token: null }));
  assert.is((await ask('DELETE', `/recordings/${id}/share/${link.id}`)).status, 204);
  assert.is((await ask('DELETE', `/recordings/${id}`)).status, 204);
  refused(await ask('GET', `/recordings/${id}`), 404);
});

test('a profile and a secret on one server: used, changed, and removed', async () => {
  const [name, secret] = ['shop', 'op://shop/1'];
  succeeded(await upload(home, name, loginAt(site)));
  refused(await upload(wrong(), name, loginAt(site)), 400, 'already');
  refused(await ask('POST', '/profile', { body: { name } }), 400, 'already');
  succeeded(await ask('GET', `/profile/${name}`));
  succeeded(await ask('POST', '/profile/refresh', { body: { name, state: loginAt(site, 'again') } }));
  const browser = await connect(wrong(), '/', { profile: name });
  assert.is(await seenBy(await browser.newPage(), site), welcome('again'));
  await browser.close();
  succeeded(await ask('POST', '/content', { body: { url: `${site.url}/small` }, query: { profile: name } }));
  const made = succeeded(await ask('POST', '/session', { body: { ttl: 60_000, profile: name } })).json<Created>();
  const session = await connect(wrong(), pathOf(made.connect));
  assert.is(await seenBy(await session.newPage(), site), welcome('again'));
  await session.close();
  assert.is((await ask('DELETE', pathOf(made.stop))).status, 204);
  refused(await ask('POST', '/content', { body: { url: site.url }, query: { profile: 'of-nobody' } }), 404);
  succeeded(await ask('DELETE', `/profile/${name}`));
  refused(await home.get(`/profile/${name}`), 404);

  const path = `/secret/${encodeURIComponent(secret)}`;
  const body = { value: 'a word', origins: [site.url] };
  succeeded(await home.post(path, body, { method: 'PUT' }));
  succeeded(await ask('PUT', path, { body }));
  assert.is((await ask('DELETE', path)).status, 204);
  assert.is((await home.get('/secrets')).text.includes(secret), false);
});
test.needs('a full Chromium');
test('every request was sent to the wrong server', () => {
  figure(`${calls} requests for a target on another server: all found it`);
  assert.ok(calls >= 40, `${calls}`);
});
