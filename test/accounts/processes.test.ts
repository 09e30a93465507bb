// Tenants do not share browser processes: state that Chromium keeps per process, such as the clipboard, stays with one
// tenant, and a crash affects only one tenant.
import process from 'node:process';
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { type RawClient, rawClient, socketUrl } from '../support/clients/clients.ts';
import { openPage, valueOf } from '../support/clients/targets.ts';
import { tokenOf } from '../support/clients/tokens.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service, site, file } = fixtureSuite('processes of tenants', {
  timeoutMs: 120_000,
  tokens: [{ name: 'ours' }, { name: 'theirs' }],
  env: { SPARES: '0', PAGE_MEMORY_MB: '150', TIMEOUT: '90000' },
});

const field = "document.body.innerHTML = '<textarea></textarea>', document.querySelector('textarea')";

/** A tenant's page with a focused text field whose text is selected. */
async function withField(name: string, text: string) {
  const client = await rawClient(socketUrl(service, '/', { token: tokenOf(name) }));
  const { sessionId } = await openPage(client, `${site.url}/small`);
  await valueOf(client, `const f = (${field}); f.value = '${text}'; f.focus(); f.select()`, sessionId);
  return { client, sessionId };
}

type Field = Awaited<ReturnType<typeof withField>>;

const key = (client: RawClient, sessionId: string, letter: string, command: string) =>
  client.send(
    'Input.dispatchKeyEvent',
    { type: 'keyDown', key: letter, code: `Key${letter.toUpperCase()}`, modifiers: 2, commands: [command] },
    sessionId,
  );
const granted = async ({ client, sessionId }: Field, expression: string) => {
  await client.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
  await client.send('Page.bringToFront', {}, sessionId);
  return valueOf(client, expression, sessionId);
};
const inField = ({ client, sessionId }: Field) =>
  valueOf(client, "document.querySelector('textarea').value", sessionId);
const byClick = ({ client, sessionId }: Field, command: string) =>
  client.send('Runtime.evaluate', { expression: `document.execCommand('${command}')`, userGesture: true }, sessionId);

const copies: Record<string, (from: Field) => Promise<unknown>> = {
  'editing command': ({ client, sessionId }) => key(client, sessionId, 'c', 'copy'),
  'cut command': ({ client, sessionId }) => key(client, sessionId, 'x', 'cut'),
  'copy of a page after a click': (from) => byClick(from, 'copy'),
  'navigator.clipboard': (from) =>
    granted(from, "navigator.clipboard.writeText(document.querySelector('textarea').value)"),
};

/** Closes connections and waits until they are closed. */
async function close(...fields: Field[]): Promise<void> {
  for (const { client } of fields) client.socket.close();
  await Promise.all(fields.map(({ client }) => client.closed));
}

test.shows('process-state', 'CDP');
test('what a tenant copies or cuts can be pasted by the same tenant, not by another', async () => {
  // These keep the processes, which the pages below use.
  const kept = [await withField('ours', ''), await withField('theirs', '')];
  for (const [name, copy] of Object.entries(copies)) {
    const secret = `secret by ${name}`;
    const from = await withField('ours', secret);
    await copy(from);
    const pasted = async (tenant: string) => {
      const to = await withField(tenant, '');
      await key(to.client, to.sessionId, 'v', 'paste');
      const read = await granted(to, 'navigator.clipboard.readText().catch(String)');
      const text = `${String(await inField(to))} ${String(read)}`;
      await close(to);
      return text;
    };
    assert.not.match(await pasted('theirs'), 'secret by', name);
    assert.match(await pasted('ours'), secret, `${name}: the text was copied`);
    await close(from);
  }
  await close(...kept);
});

/** Chromium's main processes. A forked child shows the same command line until it has executed its own program. */
const browsersOf = (of: Service) => {
  const mains = of
    .tree()
    .filter(({ command }) => command.includes('--remote-debugging-pipe') && !command.includes('--type='));
  return mains.filter(({ parent }) => !mains.some(({ pid }) => pid === parent));
};

test.shows('process-state', 'function');
test("text that one tenant's code copies is not available to another tenant's code", async () => {
  const page = `${site.url}/small`;
  const copy = `export default async ({ page }) => {
    await page.goto('${page}');
    await page.evaluate(() => (${field}).focus());
    await page.keyboard.type('secret of ours');
    await page.keyboard.down('Control');
    for (const letter of ['a', 'c']) await page.keyboard.press('Key' + letter.toUpperCase(), { commands: [letter === 'a' ? 'selectAll' : 'copy'] });
    await page.keyboard.up('Control');
    return 'copied';
  }`;
  const paste = `export default async ({ page }) => {
    await page.goto('${page}');
    await page.evaluate(() => (${field}).focus());
    await page.keyboard.press('KeyV', { commands: ['paste'] });
    return 'pasted ' + (await page.evaluate(() => document.querySelector('textarea').value));
  }`;
  // With spares, a process stays for a while after its last request.
  await using kept = await startService({ env: { TOKENS_FILE: file.path, TOKEN: 'operator-token' } });
  const run = async (name: string, code: string) =>
    succeeded(await kept.post('/function', { code }, { token: tokenOf(name) })).text;
  assert.match(await run('ours', copy), 'copied');
  assert.not.match(await run('theirs', paste), 'secret of ours');
  assert.match(await run('ours', paste), 'secret of ours', 'the text was copied');
});

test('each tenant has its own processes, which exit when they are idle', async () => {
  const before = browsersOf(service).length;
  const [ours, again, theirs] = [
    await withField('ours', ''),
    await withField('ours', ''),
    await withField('theirs', ''),
  ];
  assert.is(browsersOf(service).length, before + 2);
  for (const { client } of [ours, again, theirs]) client.socket.close();
  await until('the processes to exit', () => browsersOf(service).length === 0);
});

test("a crash of one tenant's process does not affect another tenant's sessions", async () => {
  const [ours, theirs] = [await withField('ours', ''), await withField('theirs', 'alive')];
  const [first] = browsersOf(service).toSorted((a, b) => a.pid - b.pid);
  assert.ok(first);
  process.kill(first.pid, 'SIGKILL');
  assert.is((await ours.client.closed).code, 1011);
  assert.is(await inField(theirs), 'alive');
  await close(theirs);
});

const store: Record<string, string> = {
  'Cache API': "(await caches.open('a')).put('/' + n, new Response(bytes))",
  'private file system':
    "const w = await (await (await navigator.storage.getDirectory()).getFileHandle('f' + n, { create: true })).createWritable(); await w.write(bytes); await w.close()",
  database:
    "await new Promise((resolve, reject) => { const open = indexedDB.open('d' + n); open.onupgradeneeded = () => open.result.createObjectStore('s').put(bytes, 1); open.onsuccess = resolve; open.onerror = reject })",
};
test.shows('hanging-page', 'CDP');
test('stored data beyond PAGE_MEMORY_MB closes only the browser that stores it', async () => {
  const [beside, theirs] = [await withField('ours', 'alive'), await withField('theirs', 'alive')];
  for (const [name, storing] of Object.entries(store)) {
    const ours = await withField('ours', name);
    const filling = `(async () => { for (let n = 0; ; n++) { const bytes = new Uint8Array(8e6); for (let at = 0; at < 8e6; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, 8e6))); ${storing}; } })()`;
    void valueOf(ours.client, filling, ours.sessionId).catch(() => {});
    const { code, reason } = await ours.client.closed;
    assert.is(code, 1011, name);
    assert.match(reason, 'PAGE_MEMORY_MB');
    for (const other of [beside, theirs]) assert.is(await inField(other), 'alive', name);
  }
  const again = await withField('ours', 'again');
  assert.is(await inField(again), 'again');
  await close(again, beside, theirs);
});

test('data on sites that a browser has left counts too', async () => {
  const [ours, beside] = [await withField('ours', ''), await withField('ours', 'alive')];
  // In parts: with all of it in its own memory, the renderer could exceed the limit first.
  const filling =
    "(async () => { const cache = await caches.open('a'); for (let n = 0; n < 5; n++) { const bytes = new Uint8Array(6e6); for (let at = 0; at < 6e6; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, 6e6))); await cache.put('/' + n, new Response(bytes)); } })()";
  const storing = (async () => {
    for (let n = 0; n < 20; n++) {
      const address = `${site.url.replace('127.0.0.1', `site-${n}.localhost`)}/small`;
      const { targetId, sessionId } = await openPage(ours.client, address);
      await valueOf(ours.client, filling, sessionId);
      await ours.client.send('Target.closeTarget', { targetId });
    }
    return { code: 1000, reason: 'all of it was stored' };
  })();
  const { closed } = ours.client;
  const { code, reason } = await Promise.race([closed, storing.catch(() => closed)]);
  assert.is(code, 1011);
  assert.match(reason, 'PAGE_MEMORY_MB');
  assert.is(await inField(beside), 'alive');
  await close(beside);
});

test.proves('SHARED_PROCESSES');
test('SHARED_PROCESSES=server: tenants share a process', async () => {
  const env = { TOKENS_FILE: file.path, TOKEN: 'operator-token', SPARES: '0', SHARED_PROCESSES: 'server' };
  await using shared = await startService({ env });
  const clients = await Promise.all(
    ['ours', 'theirs'].map((name) => rawClient(socketUrl(shared, '/', { token: tokenOf(name) }))),
  );
  assert.is(browsersOf(shared).length, 1);
  for (const { socket } of clients) socket.close();
});
