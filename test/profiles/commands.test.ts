// Browserless.saveProfile and Browserless.refreshProfile: a person's logins are present in the next browser.
// @tier ci
import type { Browser, CDPSession, Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, rawClient, socketUrl } from '../support/clients/clients.ts';
import { logIn, loginAt, profilesKey, seenBy, seenLogin, upload, welcome } from '../support/clients/profiles.ts';
import { fixtureSuite } from '../support/fixture.ts';

const token = 'token-of-ann';

const { test, service, site } = fixtureSuite('saving profiles', {
  timeoutMs: 90_000,
  env: { TOKEN: `${token},token-of-bob`, PROFILES_KEY: profilesKey },
});

/** Sends one of the server's commands on a page's session. */
async function command(page: Page, method: string, params: object = {}): Promise<any> {
  const session: CDPSession = await page.createCDPSession();
  return session.send(method as never, params as never);
}

async function openAt(path: string, query: Record<string, string> = {}): Promise<{ browser: Browser; page: Page }> {
  const browser = await connect(service, path, query);
  const [page] = await browser.pages();
  assert.ok(page);
  await page.goto(`${site.url}/small`);
  return { browser, page };
}

for (const [path, query] of [
  ['/', { isolation: 'context' }],
  ['/chromium', { isolation: 'process' }],
  ['/stealth', {}],
] as const) {
  test(`a login on ${path} ${JSON.stringify(query)} is saved and restored`, async () => {
    const name = `saved${path.replaceAll('/', '-')}`;
    const { browser, page } = await openAt(path, query);
    await page.evaluate(logIn('hello'));
    const saved = await command(page, 'Browserless.saveProfile', { name });
    assert.is(saved.error, null);
    assert.is(saved.ok, true);
    assert.is(saved.name, name);
    assert.is(saved.originCount, 1);
    assert.ok(saved.cookieCount >= 1);
    assert.is(saved.skippedUnreadOrigins, 0);
    const again = await command(page, 'Browserless.saveProfile', { name });
    assert.is(again.ok, false);
    assert.match(again.error, 'already');
    assert.is((await browser.pages()).length, 1, 'saving does not open a page');
    await browser.close();
    const json: any = succeeded(await service.get(`/profile/${name}`)).json();
    assert.is(json.id, saved.profileId);
    assert.is(json.lastUsedAt, null);

    const later = await openAt(path, { ...query, profile: name });
    assert.is(await seenBy(later.page, site), welcome('hello'));
    if (path === '/') {
      await later.page.evaluate(logIn('changed'));
      await later.browser.close();
      const third = await openAt(path, { ...query, profile: name });
      assert.is(await third.page.evaluate(seenLogin), welcome('hello'), 'nothing is written back');
      await third.browser.close();
    } else await later.browser.close();
    const used: any = succeeded(await service.get(`/profile/${name}`)).json();
    assert.ok(Date.parse(used.lastUsedAt) >= Date.parse(used.createdAt));
  });
}

test("refreshProfile updates the browser's profile and keeps sites that are not open", async () => {
  const state = loginAt(site);
  const elsewhere = { origin: 'https://other.example', localStorage: [{ name: 'a', value: 'b' }] };
  succeeded(await upload(service, 'fresh', { ...state, origins: [...state.origins, elsewhere] }));
  const { browser, page } = await openAt('/', { profile: 'fresh' });
  await page.evaluate(logIn('renewed'));
  const answer = await command(page, 'Browserless.refreshProfile');
  assert.is(answer.ok, true);
  assert.is(answer.name, 'fresh');
  assert.is(answer.originCount, 2);
  await browser.close();
  const later = await openAt('/', { profile: 'fresh' });
  assert.is(await later.page.evaluate(seenLogin), welcome('renewed'));
  await later.browser.close();
});

test('returns errors for invalid names and missing profiles', async () => {
  const { browser, page } = await openAt('/');
  for (const name of ['a b', 'a?b', 'a#b', '../x', '..', 'x/y', '', 'x'.repeat(256), 'a\u0000b']) {
    const { ok, error } = await command(page, 'Browserless.saveProfile', { name });
    assert.is(ok, false, JSON.stringify(name));
    assert.match(error, /"name" must/, JSON.stringify(name));
  }
  assert.match((await command(page, 'Browserless.saveProfile')).error, '"name" is required');
  assert.match((await command(page, 'Browserless.saveProfile', { name: 7 })).error, 'name');
  assert.match(
    (await command(page, 'Browserless.refreshProfile', { name: 'none' })).error,
    'There is no profile "none"',
  );
  await browser.close();
});

test('POST /profile creates a session for logging in, and saves the profile under its name', async () => {
  const json: any = succeeded(await service.post('/profile', { name: 'by-hand' })).json();
  assert.equal(Object.keys(json), ['id', 'name', 'connect', 'stop']);
  refused(await service.get('/profile/by-hand'), 404);
  const { browser, page } = await openAt(new URL(json.connect).pathname);
  await page.evaluate(logIn('person'));
  assert.is((await command(page, 'Browserless.saveProfile')).name, 'by-hand');
  await browser.disconnect();
  succeeded(await service.get('/profile/by-hand'));
  refused(await service.post('/profile', { name: 'by-hand' }), 400, 'already');
  assert.is((await service.get(`/session/${json.id}`, { method: 'DELETE', query: { force: true } })).status, 204);
});

test('sites with more than 2 MB in total: the largest are left out and counted', async () => {
  const { browser, page } = await openAt('/', { isolation: 'process' });
  const fill = (at: Page, text: string, count: number) =>
    at.evaluate(`localStorage.setItem('big', ${JSON.stringify(text)}.repeat(${count}))`);
  const [second, third] = [await browser.newPage(), await browser.newPage()];
  await second.goto(`${site.otherUrl}/small`);
  await third.goto(`http://third.localhost:${new URL(site.url).port}/small`);
  await fill(page, 'x', 1_000_000);
  await fill(second, 'x', 1_050_000);
  const both = await command(page, 'Browserless.saveProfile', { name: 'within' });
  assert.is(both.error, null);
  assert.is(both.originCount, 2, 'the documented size fits');
  assert.is(both.truncatedOrigins, 0);
  await fill(third, 'x', 500_000);
  const most = await command(page, 'Browserless.saveProfile', { name: 'beyond' });
  assert.is(most.error, null);
  assert.is(most.originCount, 2);
  assert.is(most.truncatedOrigins, 1);
  assert.is(most.skippedUnreadOrigins, 0);
  // Fewer characters than the limit, but more bytes.
  await fill(third, 'é', 1_100_000);
  const bytes = await command(page, 'Browserless.saveProfile', { name: 'bytes' });
  assert.is(bytes.error, null);
  assert.is(bytes.originCount, 2);
  assert.is(bytes.truncatedOrigins, 1);
  // A site that was left out keeps its data in the profile.
  const again = await command(page, 'Browserless.refreshProfile', { name: 'beyond' });
  assert.is(again.error, null);
  assert.ok(again.originCount >= 2);
  await browser.close();
  const later = await openAt('/', { profile: 'beyond' });
  assert.is(await later.page.evaluate(`localStorage.getItem('big')?.length`), 1_000_000);
  await later.browser.close();
});

test('circular values are restored; values that are nested too deeply are left out and counted', async () => {
  const { browser, page } = await openAt('/');
  await page.evaluate(`new Promise((resolve) => {
    const ring = { name: 'ring' };
    ring.self = ring;
    // Written out, it would have 2 ** 40 lists.
    let shared = [];
    for (let at = 0; at < 40; at++) shared = [shared, shared];
    let deep = [];
    for (let at = 0; at < 2_000; at++) deep = [deep];
    const opening = indexedDB.open('rings', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('s');
    opening.onsuccess = () => {
      const db = opening.result;
      const writing = db.transaction('s', 'readwrite');
      for (const [key, value] of Object.entries({ ring, shared, deep, plain: [1, { a: [true] }] })) {
        writing.objectStore('s').put(value, key);
      }
      writing.oncomplete = () => { db.close(); resolve(true); };
    };
  })`);
  const saved = await command(page, 'Browserless.saveProfile', { name: 'rings' });
  assert.is(saved.error, null);
  assert.is(saved.skippedUnreadOrigins, 0);
  assert.is(saved.truncatedIdbEntries, 1);
  await browser.close();
  const later = await openAt('/', { profile: 'rings' });
  const seen = await later.page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('rings');
    opening.onsuccess = () => {
      const store = opening.result.transaction('s').objectStore('s');
      const ring = store.get('ring');
      const shared = store.get('shared');
      const plain = store.get('plain');
      store.getAllKeys().onsuccess = ({ target }) => resolve({
        keys: target.result,
        isRing: ring.result.self === ring.result && ring.result.name === 'ring',
        isShared: shared.result[0] === shared.result[1],
        plain: plain.result,
      });
    };
  })`);
  assert.equal(seen, { keys: ['plain', 'ring', 'shared'], isRing: true, isShared: true, plain: [1, { a: [true] }] });
  await later.browser.close();
});

test('a hung page loses its own storage, not the profile', async () => {
  const { browser, page } = await openAt('/', { isolation: 'process' });
  await page.evaluate(logIn('hello'));
  void page.evaluate('for (;;);').catch(() => {});
  const saving = await rawClient(
    socketUrl(service, `/devtools/browser/${new URL(browser.wsEndpoint()).pathname.split('/').at(-1)}`),
  ).catch(() => undefined);
  saving?.socket.terminate();
  const session = await browser.target().createCDPSession();
  const saved: any = await session.send('Browserless.saveProfile' as never, { name: 'hanging' } as never);
  assert.is(saved.ok, true, saved.error);
  assert.is(saved.originCount, 0);
  assert.is(saved.skippedUnreadOrigins, 1);
  assert.ok(saved.cookieCount >= 1);
  await service.get('/kill/all');
});

test("a client that uses a reconnectable browser's token cannot use profiles", async () => {
  const first = await rawClient(socketUrl(service, '/'));
  const { result } = await first.send('Browserless.reconnect', { timeout: 20_000, auth: 'only-mine' });
  const path = new URL(String(result?.['browserWSEndpoint'])).pathname;
  const guest = await rawClient(socketUrl(service, path, { token: 'only-mine' }));
  const { result: answer } = await guest.send('Browserless.saveProfile', { name: 'guest' });
  assert.is(answer?.['ok'], false);
  assert.match(String(answer?.['error']), 'belong to a server token');
  await service.get('/kill/all');
});
