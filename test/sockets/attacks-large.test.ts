// Messages from a browser or a client that exceed the server's limits: they fail only for the client that requested or
// sent them.
// @tier ci
import * as assert from 'uvu/assert';
import { openAttackPage } from '../support/clients/attack-entry-points.ts';
import { endAll, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { connectPlaywright, rawPlaywright } from '../support/clients/playwright.ts';
import { openFrames } from '../support/clients/raw-frames.ts';
import { turnMs, watchLoop } from '../support/event-loop.ts';
import { processSuite } from '../support/fixture.ts';

const loop = watchLoop();
const { test, fixture } = processSuite('attacks by size', { env: { TIMEOUT: '120000', SPARES: '1', ...loop.env } });
const limit = { timeoutMs: 120_000 };
test.after(() => loop[Symbol.dispose]());
test.after.each(() => endAll(fixture.service));

const large = { expression: "'x'.repeat(270e6)", returnByValue: true };

test(
  'a 270 MB response becomes an error that states the limit; another client and the next command still get responses',
  async () => {
    const client = await rawClient(socketUrl(fixture.service, '/'));
    const [entry] = await sessionsOf(fixture.service);
    const other = await rawClient(socketUrl(fixture.service, `/devtools/browser/${entry?.id}`));
    const [page, otherPage] = [await openAttackPage(client), await openAttackPage(other)];
    const pending = page.send('Runtime.evaluate', large);
    const answers = Promise.all(Array.from({ length: 20 }, (_, index) => otherPage.evaluate(`${index} + 1`)));
    const { error, result } = await pending;
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
  "a 270 MB event closes only its client's connection, with 1009",
  async () => {
    const client = await rawClient(socketUrl(fixture.service, '/'));
    const [entry] = await sessionsOf(fixture.service);
    const other = await rawClient(socketUrl(fixture.service, `/devtools/browser/${entry?.id}`));
    const [page, otherPage] = [await openAttackPage(client), await openAttackPage(other)];
    await page.send('Runtime.enable');
    await page.send('Runtime.addBinding', { name: 'tell' });
    void page.send('Runtime.evaluate', { expression: "tell('x'.repeat(270e6))" });
    assert.is((await client.closed).code, 1009);
    assert.is(await otherPage.evaluate('6 * 7'), 42);
    other.socket.close();
  },
  limit,
);

test(
  'a 20 MB response arrives complete',
  async () => {
    const client = await rawClient(socketUrl(fixture.service, '/'));
    const page = await openAttackPage(client);
    const { length } = String(await page.evaluate("'x'.repeat(20e6)"));
    assert.is(length, 20e6);
    client.socket.close();
  },
  limit,
);

test(
  'BrowserQL and /function respond when a page returns 270 MB',
  async () => {
    const { service } = fixture;
    // A slow browser needs almost all of a step's 30 s for this; the test is about the time limit of the request.
    const query = `mutation { goto(url: "about:blank") { status } evaluate(timeout: 45000, content: "'x'.repeat(270e6) + ''") { value } }`;
    const code = `export default async ({ page }) => (await page.evaluate(() => 'x'.repeat(270e6))).length`;
    for (const [path, body] of [
      ['/chromium/bql', { query }],
      ['/function', { code }],
    ] as const) {
      const reply = await service.post(path, body, { query: { timeout: 45_000 } });
      assert.ok(reply.bytes.length < 1e6, `${path}: ${reply.bytes.length} bytes`);
      assert.match(reply.text, /too long|more data than fits in one response|DOCUMENT_CHANGED|ANSWER_TOO_LARGE/, path);
      assert.is.not(reply.status, 408, path);
    }
    assert.is((await service.post('/content', { html: '<p>alive' })).status, 200);
  },
  limit,
);

/** Content of a message, of approximately the given number of bytes. */
const shapes: Record<string, (bytes: number) => string> = {
  numbers: (bytes) => `[${'1,'.repeat(bytes / 2)}1]`,
  objects: (bytes) => `[${'{},'.repeat(bytes / 3)}{}]`,
  names: (bytes) => `{${Array.from({ length: bytes / 10 }, (_, at) => `"${at + 1e5}":1`).join()}}`,
  depth: (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  escapes: (bytes) => `["${'\\u0001'.repeat(bytes / 8)}","${'\\n'.repeat(bytes / 8)}"]`,
};
const megabyte = 2 ** 20;

const ended = async (url: string, payload: string): Promise<number> => {
  const socket = await openFrames(url);
  socket.send({ payload });
  return socket.closed();
};

/** Sends a value within a message. @returns the close code */
type Endpoint = [name: string, send: (value: string) => Promise<number>];

const endpoints: Endpoint[] = [
  [
    'CDP',
    async (value) => {
      const [entry] = await sessionsOf(fixture.service);
      const url = socketUrl(fixture.service, `/devtools/browser/${entry?.id}`);
      return ended(url, `{"id":1,"method":"Browser.getVersion","params":{"x":${value}}}`);
    },
  ],
  [
    'Playwright',
    async (value) => {
      const { socket, closed } = await rawPlaywright(fixture.service);
      socket.send(`{"id":9,"guid":"","method":"initialize","metadata":{},"params":{"x":${value}}}`);
      return (await closed).code;
    },
  ],
];

/** Just below the limit of a CDP message, in MB. */
const whole = 99;

test.shows('huge-messages', 'CDP', 'Playwright');
for (const [endpoint, send] of endpoints) {
  test(
    `${endpoint}: a message with many values closes its connection with 1009, and the main thread stays free`,
    async () => {
      const keeper = await rawClient(socketUrl(fixture.service, '/'));
      const page = await openAttackPage(keeper);
      for (const [shape, write] of Object.entries(shapes)) {
        // Both endpoints use the same reader, and each Playwright client starts a browser.
        if (endpoint === 'Playwright' && shape !== 'objects') continue;
        for (const size of endpoint === 'CDP' && shape === 'objects' ? [20, whole] : [20]) {
          const value = write(Math.floor(size * megabyte));
          // The longer the message, the longer it takes to join and decode it.
          const maxMs = size === whole ? 4 * turnMs : turnMs;
          const refuse = async () => assert.is(await send(value), 1009, `${shape}, ${size} MB`);
          await loop.staysFree(fixture.service, `${endpoint}, ${shape}, ${size} MB`, refuse, maxMs);
        }
      }
      assert.is(await page.evaluate('6 * 7'), 42);
      keeper.socket.close();
      const { peakBytes } = await loop.ask(fixture.service);
      assert.ok(peakBytes < 1.5 * 2 ** 30, `the server used ${Math.round(peakBytes / megabyte)} MB`);
    },
    limit,
  );
}

const code = `export default async ({ page, context: { direction, character, length } }) => direction === 'to the code'
  ? (await page.evaluate((each, times) => each.repeat(times), character, length)).length
  : page.evaluate((text) => text.length, character.repeat(length))`;

test.shows('huge-messages', 'function');
test(
  '/function: long strings pass between its code and a page, unreadable ones are errors, and the main thread stays free',
  async () => {
    const run = (direction: string, character: string, length: number) =>
      fixture.service.post(
        '/function',
        { code, context: { direction, character, length } },
        { query: { timeout: 60_000 } },
      );
    for (const direction of ['to the code', 'to the page']) {
      await loop.staysFree(fixture.service, `20 MB ${direction}`, async () => {
        const passed = await run(direction, 'x', 20e6);
        assert.is(passed.text.trim(), '20000000', direction);
      });
      for (const [character, length] of [
        [direction === 'to the code' ? '"' : 'é', 10e6],
        ['x', 70e6],
      ] as const) {
        const refuse = async () => {
          const refused = await run(direction, character, length);
          assert.is(refused.status, 400, `${character}, ${direction}: ${refused.text}`);
          assert.match(refused.text, /special|longer than \d+ characters/);
        };
        await loop.staysFree(fixture.service, `${length} × ${character} ${direction}`, refuse, 2 * turnMs);
      }
    }
  },
  limit,
);

test('/function: a result with too many special characters fails', async () => {
  const failing = `export default async () => ({ data: new Uint8Array(5), type: '"'.repeat(6e6) })`;
  const { status, text } = await fixture.service.post('/function', { code: failing });
  assert.is(status, 400, text);
  assert.match(text, 'too many special characters');
});

test(
  'long messages arrive in the order in which they were sent',
  async () => {
    const client = await rawClient(socketUrl(fixture.service, '/'));
    const page = await openAttackPage(client);
    const order: number[] = [];
    const texts = [10, 1, 0, 5].map((size, index) => `/*${'x'.repeat(size * megabyte)}*/ ${index}`);
    await loop.staysFree(fixture.service, 'a message of 10 MB', () => page.evaluate(texts[0] ?? ''));
    await Promise.all(texts.map(async (text) => order.push(Number(await page.evaluate(text)))));
    assert.equal(order, [0, 1, 2, 3]);
    client.socket.close();
    const browser = await connectPlaywright(fixture.service);
    const opened = await browser.newPage();
    const sizes = [10, 1, 0, 5].map((size) => size * megabyte);
    const lengths: number[] = [];
    await Promise.all(
      sizes.map(async (size) =>
        lengths.push(await opened.evaluate((text) => text.length, 'x'.repeat(size)).catch(() => -1)),
      ),
    );
    assert.equal(lengths, sizes);
    await browser.close();
  },
  limit,
);
