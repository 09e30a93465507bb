// Messages of a browser that are longer than the server keeps: they fail for who asked, and for nobody else.
import * as assert from 'uvu/assert';
import { endAll, openAttackPage } from '../support/clients/attack-doors.ts';
import { rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { stagedSuite } from '../support/stage.ts';

const { test, stage } = stagedSuite('attacks by size', { env: { TIMEOUT: '120000', SPARES: '1' } });
const limit = { timeoutMs: 120_000 };
test.after.each(() => endAll(stage.service));

const large = { expression: "'x'.repeat(300e6)", returnByValue: true };

test(
  'an answer of 300 MB is an error that names the limit; another client is answered, and so is the next command',
  async () => {
    const client = await rawClient(socketUrl(stage.service, '/'));
    const [entry] = await sessionsOf(stage.service);
    const other = await rawClient(socketUrl(stage.service, `/devtools/browser/${entry?.id}`));
    const [page, otherPage] = [await openAttackPage(client), await openAttackPage(other)];
    const asked = page.send('Runtime.evaluate', large);
    const answers = Promise.all(Array.from({ length: 20 }, (_, index) => otherPage.evaluate(`${index} + 1`)));
    const { error, result } = await asked;
    assert.is(result, undefined);
    assert.match(error?.message ?? '', '268435456');
    assert.is((await answers).at(-1), 20);
    assert.is(await page.evaluate('6 * 7'), 42);
    assert.is(await otherPage.evaluate('6 * 7'), 42);
    for (const { socket } of [client, other]) socket.close();
  },
  limit,
);

test(
  'an event of 300 MB ends the connection of its client with 1009, and no other',
  async () => {
    const client = await rawClient(socketUrl(stage.service, '/'));
    const [entry] = await sessionsOf(stage.service);
    const other = await rawClient(socketUrl(stage.service, `/devtools/browser/${entry?.id}`));
    const [page, otherPage] = [await openAttackPage(client), await openAttackPage(other)];
    await page.send('Runtime.enable');
    await page.send('Runtime.addBinding', { name: 'tell' });
    void page.send('Runtime.evaluate', { expression: "tell('x'.repeat(300e6))" });
    assert.is((await client.closed).code, 1009);
    assert.is(await otherPage.evaluate('6 * 7'), 42);
    other.socket.close();
  },
  limit,
);

test(
  'an answer of 50 MB arrives whole',
  async () => {
    const client = await rawClient(socketUrl(stage.service, '/'));
    const page = await openAttackPage(client);
    const { length } = String(await page.evaluate("'x'.repeat(50e6)"));
    assert.is(length, 50e6);
    client.socket.close();
  },
  limit,
);

test(
  'BrowserQL and /function answer when a page has 300 MB to tell',
  async () => {
    const { service } = stage;
    // A slow browser needs nearly the 30 s of a step for it: the limit of the call is meant.
    const query = `mutation { goto(url: "about:blank") { status } evaluate(timeout: 45000, content: "'x'.repeat(300e6) + ''") { value } }`;
    const code = `export default async ({ page }) => (await page.evaluate(() => 'x'.repeat(300e6))).length`;
    for (const [path, body] of [
      ['/chromium/bql', { query }],
      ['/function', { code }],
    ] as const) {
      const reply = await service.post(path, body, { query: { timeout: 45_000 } });
      assert.ok(reply.bytes.length < 1e6, `${path}: ${reply.bytes.length} bytes`);
      assert.match(reply.text, /too long|DOCUMENT_CHANGED|ANSWER_TOO_LARGE/, path);
      assert.is.not(reply.status, 408, path);
    }
    assert.is((await service.post('/content', { html: '<p>alive' })).status, 200);
  },
  limit,
);
