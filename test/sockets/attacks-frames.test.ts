// Messages crafted so that the server reads them one way and the browser another. Each contains a context whose proxy
// would bypass BLOCK_PRIVATE_NETWORK, or a file; none may reach the browser unchanged.
import * as assert from 'uvu/assert';
import { openAttackPage } from '../support/clients/attack-entry-points.ts';
import { type RawClient, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { type Frame, type FrameSocket, openFrames } from '../support/clients/raw-frames.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('attacks by frames and JSON', {
  env: { BLOCK_PRIVATE_NETWORK: 'true', TIMEOUT: '120000', SPARES: '1', CONCURRENT: '20', DRAIN_TIMEOUT_MS: '1000' },
});
/** Keeps the browser that all attackers share alive. */
let other: RawClient;
let browser: string;

test.before(async () => {
  other = await rawClient(socketUrl(fixture.service, '/'));
  browser = (await sessionsOf(fixture.service))[0]?.id ?? '';
});
test.after.each(() => assert.is(other.socket.readyState, other.socket.OPEN));

const proxied = '"method":"Target.createBrowserContext","params":{"proxyServer":"direct://"}';
const attack = `{"id":7,${proxied}}`;
const [oneHalf, otherHalf] = [attack.slice(0, 40), attack.slice(40)];
const padded = (bytes: number) => attack.replace(',', `,${' '.repeat(bytes)}`);

const open = () => openFrames(socketUrl(fixture.service, `/devtools/browser/${browser}`));

/** If the browser created the context after all, a page in it contacts the listener. */
async function tryContext(socket: FrameSocket, browserContextId: unknown): Promise<void> {
  const params = { url: `${fixture.site.url}/hit`, browserContextId };
  socket.send({ payload: JSON.stringify({ id: 8, method: 'Target.createTarget', params }) });
  const { result } = await socket.answer(8);
  const attached = { id: 9, method: 'Target.attachToTarget', params: { ...result, flatten: true } };
  socket.send({ payload: JSON.stringify(attached) });
  const { result: session } = await socket.answer(9);
  const expression = `fetch('${fixture.site.url}/hit', { mode: 'no-cors' }).catch(() => 'failed')`;
  const evaluate = { id: 10, method: 'Runtime.evaluate', params: { expression, awaitPromise: true }, ...session };
  socket.send({ payload: JSON.stringify(evaluate) });
  await socket.answer(10);
}

const text = (payload: string): Frame[] => [{ payload }];

const refused: [name: string, frames: Frame[]][] = [
  ['plain', text(attack)],
  ['more than 64 KiB of spaces', text(padded(70_000))],
  ['more than 1 MiB of spaces', text(padded(1_200_000))],
  [
    'two fragments',
    [
      { payload: oneHalf, fin: false },
      { opcode: 0, payload: otherHalf },
    ],
  ],
  [
    'a ping between fragments',
    [
      { payload: oneHalf, fin: false },
      { opcode: 9, payload: 'x' },
      { opcode: 0, payload: otherHalf },
    ],
  ],
  ['an escaped name', text(attack.replace('proxyServer', '\\u0070roxyServer'))],
  ['an escaped method', text(attack.replace('createB', 'create\\u0042'))],
  ['an escaped value', text(attack.replace('direct', '\\u0064irect'))],
  ['two methods', text(`{"id":7,"method":"Browser.getVersion",${proxied}}`)],
  ['two params', text(`{"id":7,"params":{},${proxied}}`)],
  ['two proxies', text(attack.replace('"proxyServer"', '"proxyServer":"","proxyServer"'))],
  ['an unknown field', text(attack.replace('"id"', '"x":1,"id"'))],
  ['a __proto__ field', text(attack.replace('"id"', '"__proto__":{"sessionId":"x"},"id"'))],
  ['an array of servers', text(attack.replace('"direct://"', '["direct://"]'))],
  ['whitespace in the proxy', text(attack.replace('direct', ' \\tdirect'))],
  ['a list of proxies', text(attack.replace('direct://', 'http=direct://;https=direct://'))],
  ['the server itself', text(attack.replace('direct://', 'http://127.0.0.1:1'))],
  ['a cloud metadata address', text(attack.replace('direct://', 'http://169.254.169.254'))],
];

for (const [name, frames] of refused) {
  test(`${name}: returns an error`, async () => {
    const socket = await open();
    socket.send(...frames);
    // A response may lack the id if the command had an unknown field.
    const version = '{"id":99,"method":"Browser.getVersion"}';
    socket.send({ payload: version });
    await socket.answer(99);
    const { error } = await socket.answer(7);
    assert.ok(error, `the context was created: ${socket.messages().join()}`);
    assert.equal(fixture.site.requests, []);
    socket.destroy();
  });
}

/** Messages that pass, as rewritten by the server: the browser must not find a proxy in them. */
const harmless: [name: string, payload: string][] = [
  ['two methods, the last one harmless', `{"id":7,${proxied},"method":"Browser.getVersion","params":{}}`],
  ['two params, the last one empty', `{"id":7,${proxied},"params":{}}`],
  ['a proxy in a __proto__ field', attack.replace(/"proxyServer.*/, '"__proto__":{"proxyServer":"direct://"}}}')],
  ['a bypass list without a proxy', attack.replace(/"proxyServer.*/, '"proxyBypassList":"127.0.0.1"}}')],
  ['different capitalization', attack.replace('proxyServer', 'ProxyServer')],
  ['a NUL in the name', attack.replace('proxyServer', 'proxyServer\\u0000')],
  ['a NUL and a second message', attack.replace('"direct://"', `"\\u0000{\\"id\\":8}"`).replace('proxyServer', 'x')],
];

for (const [name, payload] of harmless) {
  test(`${name}: the browser does not receive a proxy`, async () => {
    const socket = await open();
    socket.send({ payload });
    const { result } = await socket.answer(7);
    if (result?.['browserContextId'] !== undefined) await tryContext(socket, result['browserContextId']);
    assert.equal(fixture.site.requests, []);
    socket.destroy();
  });
}

const unreadable: [name: string, code: number, frames: Frame[]][] = [
  ['a vertical tab', 1007, text(attack.replace('}}', ',"x":"\v"}}'))],
  ['a comment', 1007, text(`${attack.slice(0, -1)}/**/}`)],
  ['a line comment', 1007, text(`//\n${attack}`)],
  ['a trailing comma', 1007, text(attack.replace('}}', '},}'))],
  ['a raw NUL', 1007, text(`${attack}\0${attack}`)],
  ['two messages', 1007, text(`{"id":6,"method":"Browser.getVersion"}${attack}`)],
  ['a byte order mark', 1007, text(`\ufeff${attack}`)],
  ['single quotes', 1007, text(attack.replaceAll('"', "'"))],
  ['an octal number', 1007, text(attack.replace('7', '07'))],
  ['an empty message', 1007, text('')],
  ['a continuation frame without a message', 1002, [{ opcode: 0, payload: attack }]],
  ['a message within a message', 1002, [{ payload: oneHalf, fin: false }, { payload: attack }]],
  ['a binary message', 1003, [{ opcode: 2, payload: attack }]],
  ['a reserved opcode', 1002, [{ opcode: 3, payload: attack }]],
  ['a fragmented ping', 1002, [{ opcode: 9, fin: false, payload: attack }]],
  ['text that is not valid UTF-8', 1007, [{ payload: Buffer.from(attack.replace('7', '7,"x":"\xff"'), 'latin1') }]],
  ['half of a surrogate pair', 1007, [{ payload: Buffer.from([...Buffer.from(attack), 0xed, 0xa0, 0x80]) }]],
  ['more than 100 MB', 1009, text(padded(105_000_000))],
  [
    'fragments that total more than 100 MB',
    1009,
    [
      { payload: padded(60_000_000), fin: false },
      { opcode: 0, payload: padded(60_000_000) },
    ],
  ],
];

for (const [name, code, frames] of unreadable) {
  test.shows('hostile-input', 'CDP');
  test(`${name}: closes only its own connection, with ${code}`, async () => {
    const socket = await open();
    const contexts = () => other.send('Target.getBrowserContexts').then(({ result }) => result);
    const before = await contexts();
    socket.send(...frames);
    assert.is(await socket.closed(), code);
    assert.equal(await contexts(), before);
  });
}

test('JSON messages that are not commands get the same error as from Chromium', async () => {
  const socket = await open();
  for (const payload of [
    '1',
    'null',
    '[]',
    `[${attack}]`,
    '{}',
    ...['1.5', '"7"', 'null', '2147483648', '-2147483649', '1e400', '{}', '[7]', 'true'].map(
      (id) => `{"id":${id},${proxied}}`,
    ),
    `{"id":7,"method":["Target.createBrowserContext"]}`,
    `{"id":7,"method":"Browser.getVersion","params":[]}`,
    `{"id":7,"method":"Browser.getVersion","params":"x"}`,
    `{"id":7,"method":"Browser.getVersion","sessionId":1}`,
    `{"id":7,"method":"Browser.getVersion","sessionId":null}`,
  ]) {
    const before = socket.messages().length;
    socket.send({ payload }, { payload: '{"id":99,"method":"Target.getBrowserContexts"}' });
    const after = () => socket.messages().slice(before);
    const [first, last] = await until(`both responses to ${payload}`, () => after().length === 2 && after());
    assert.match(first ?? '', /"error":\{"code":-32600/, payload);
    // The message after it is answered as usual.
    assert.match(last ?? '', /"browserContextIds":\[/, payload);
  }
  socket.destroy();
});

test('100,000 levels of nesting crash neither the server nor the browser', async () => {
  const deep = (left: string, right: string, levels: number) => `${left.repeat(levels)}1${right.repeat(levels)}`;
  const send = (socket: FrameSocket, id: number, value: string) =>
    socket.send({ payload: `{"id":${id},"method":"Runtime.evaluate","params":{"expression":"1","x":${value}}}` });
  for (const [left, right] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const socket = await open();
    // Chromium parses up to 300 levels.
    send(socket, 1, deep(left, right, 500));
    assert.ok((await socket.answer(1)).error);
    socket.send({ payload: '{"id":99,"method":"Browser.getVersion"}' });
    assert.ok((await socket.answer(99)).result);
    send(socket, 2, deep(left, right, 100_000));
    assert.is(await socket.closed(), 1009);
    socket.destroy();
  }
});

test.shows('other-client', 'CDP');
test("a client cannot use other clients' or the server's sessions, or sessions that do not exist", async () => {
  const victim = other;
  const page = await openAttackPage(victim);
  const attacker = await rawClient(socketUrl(fixture.service, `/devtools/browser/${browser}`));
  const elsewhere = await rawClient(socketUrl(fixture.service, '/'));
  await attacker.send('Target.setDiscoverTargets', { discover: true, filter: [{}] });
  await attacker.send('Target.setAutoAttach', { autoAttach: false, waitForDebuggerOnStart: false, flatten: true });
  const { result } = await victim.send('Target.attachToBrowserTarget');
  const known = [page.sessionId, result?.['sessionId'], page.targetId, browser];
  const guessed = [
    '',
    '0',
    '1',
    'root',
    'undefined',
    'null',
    '0'.repeat(32),
    'F'.repeat(32),
    '__proto__',
    'constructor',
  ];
  for (const client of [attacker, elsewhere]) {
    for (const sessionId of [...known, ...guessed]) {
      const id = 1_000_000 + Math.floor(Math.random() * 1e6);
      client.socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params: { expression: '1' }, sessionId }));
      const { error } = await until('the response', () => client.events.find((message) => message.id === id));
      assert.match(error?.message ?? '', 'Session with given id not found', String(sessionId));
    }
    for (const sessionId of known) {
      const { error } = await client.send('Target.detachFromTarget', { sessionId });
      assert.ok(error, `${sessionId} was detached`);
    }
  }
  assert.is(await page.evaluate('6 * 7'), 42);
  assert.is(attacker.events.filter(({ method, sessionId }) => method && sessionId === page.sessionId).length, 0);
  for (const client of [attacker, elsewhere]) client.socket.close();
});
