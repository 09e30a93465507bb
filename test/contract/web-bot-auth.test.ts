// Web Bot Auth: its settings, the key directory, what it excludes, and that nothing reveals the private key.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { processSuite } from '../support/fixture.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { newKey, thumbprint, verified } from '../support/checks/signatures.ts';
import { connect, handshake } from '../support/clients/clients.ts';
import { stealth } from '../support/clients/looks.ts';
import { processesMentioning } from '../support/processes.ts';
import { startService } from '../support/service.ts';

const key = newKey();
const WEB_BOT_AUTH_KEY = JSON.stringify(key);
const WEB_BOT_AUTH_DIRECTORY = 'https://bots.example.com';
const wellKnown = '/.well-known/http-message-signatures-directory';

const { test, service, site } = processSuite('web bot auth', {
  env: {
    WEB_BOT_AUTH_KEY,
    WEB_BOT_AUTH_DIRECTORY: `${WEB_BOT_AUTH_DIRECTORY}${wellKnown}`,
    TOKEN: 'secret',
    LOG_LEVEL: 'debug',
    SPARES: '0',
  },
});

// From the cloudflare/web-bot-auth tests (web_bot_auth_architecture_v2.json), with the test key of RFC 9421 B.1.4.
const known = {
  key: { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
  headers: {
    'signature-agent': 'agent2="https://signature-agent.test"',
    'signature-input':
      'sig2=("@authority" "signature-agent";key="agent2");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";tag="web-bot-auth"',
    signature: 'sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:',
  },
} as const;

test('the verifier of these tests accepts a third-party signature and no other', () => {
  const { parameters } = verified({ authority: 'example.com', headers: known.headers }, known.key);
  assert.is(parameters['keyid'], thumbprint(known.key));
  const refuses = (authority: string, headers: Record<string, string>, { x }: { x: string }) =>
    assert.throws(() => verified({ authority, headers }, { ...known.key, x }), /the signature is not valid for/);
  refuses('example.com:8080', known.headers, known.key);
  refuses('example.com', { ...known.headers, 'signature-agent': 'agent2="https://else.test"' }, known.key);
  refuses('example.com', known.headers, key);
});

test.proves('WEB_BOT_AUTH_KEY WEB_BOT_AUTH_DIRECTORY');
test('the directory returns only the public key, signed for its own host, to every client', async () => {
  const headers = { Host: 'anything.example.org', Origin: 'https://page.example.org' };
  for (const options of [{}, { token: null }, { token: null, headers }]) {
    const reply = succeeded(await service.get(wellKnown, options));
    assert.is(reply.headers['content-type'], 'application/http-message-signatures-directory+json');
    assert.is(reply.headers['cache-control'], 'max-age=3600');
    const { kty, crv, x } = key;
    assert.equal(reply.json(), { keys: [{ kty, crv, kid: thumbprint(key), x, use: 'sig' }] });
    assert.is(
      reply.headers['content-digest'],
      `sha-256=:${createHash('sha256').update(reply.bytes).digest('base64')}:`,
    );
    const message = { authority: 'bots.example.com', headers: reply.headers };
    const { components, parameters } = verified(message, key);
    assert.is(components, '"@authority";req "content-digest"');
    assert.is(parameters['tag'], 'http-message-signatures-directory');
    assert.is(parameters['keyid'], thumbprint(key));
    assert.is(Number(parameters['expires']) - Number(parameters['created']), 86_400);
    assert.ok(Number(parameters['created']) <= Date.now() / 1_000);
  }
});

test('without the settings, the directory returns a 404 that says what to set', async () => {
  await using plain = await startService({ env: { SPARES: '0' } });
  refused(await plain.get(wellKnown), 404, 'WEB_BOT_AUTH_KEY', 'WEB_BOT_AUTH_DIRECTORY');
});

test('stealth is rejected at every endpoint, with the reason', async () => {
  for (const [path, query] of [
    ['/stealth', {}],
    ['/', stealth().query],
  ] as const) {
    const { status, text } = await handshake(service, path, query);
    assert.is(status, 400, text);
    assert.match(text, 'WEB_BOT_AUTH_KEY');
  }
  refused(await service.post('/content', { html: 'x' }, stealth()), 400, 'WEB_BOT_AUTH_KEY', 'stealth');
  refused(await service.post('/stealth/bql', { query: 'mutation { url { url } }' }), 400, 'WEB_BOT_AUTH_KEY');
  for (const body of [{ stealth: true }, { browser: 'stealth' }]) {
    refused(await service.post('/session', body), 400, 'WEB_BOT_AUTH_KEY');
  }
});

test('the private key does not appear in responses, logs, metrics, files, or browser processes', async () => {
  const answers = await Promise.all(
    ['/config', '/meta', '/metrics', '/metrics/total', '/openapi.json', wellKnown, '/sessions', '/json/version'].map(
      async (path) => succeeded(await service.get(path)).text,
    ),
  );
  const browser = await connect(service);
  await (await browser.newPage()).goto(`${site.url}/small`);
  const running = service.tree().filter(({ pid }) => pid !== service.pid);
  assert.ok(running.length > 0);
  const environments = running.map(
    ({ pid, command }) => `${command} ${readFileSync(`/proc/${pid}/environ`, 'latin1')}`,
  );
  const files = readdirSync(service.baseDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  const whoMention = processesMentioning(key.d).map(({ pid }) => pid);
  await browser.close();
  // A path that contains the key is still masked in the log.
  await service.get(`/nothing/${key.d}`);
  for (const text of [...answers, service.output(), ...environments, ...files]) assert.not.match(text, key.d);
  assert.equal(whoMention, [service.pid]);
});

const withKey = (changes: object) => ({
  WEB_BOT_AUTH_KEY: JSON.stringify({ ...key, ...changes }),
  WEB_BOT_AUTH_DIRECTORY,
});
const noPrivateKey = 'WEB_BOT_AUTH_KEY must be an Ed25519 private key';
/** Settings that make startup fail, with the error message. */
const wrong: Record<string, [env: Record<string, string>, ...messages: string[]]> = {
  'a key without a directory': [{ WEB_BOT_AUTH_KEY }, 'WEB_BOT_AUTH_KEY needs WEB_BOT_AUTH_DIRECTORY'],
  'a directory without a key': [{ WEB_BOT_AUTH_DIRECTORY }, 'WEB_BOT_AUTH_DIRECTORY needs WEB_BOT_AUTH_KEY'],
  'a key that is not JSON': [{ WEB_BOT_AUTH_KEY: key.d, WEB_BOT_AUTH_DIRECTORY }, noPrivateKey],
  'a public key': [withKey({ d: undefined }), noPrivateKey],
  'a key of a different type': [withKey({ crv: 'X25519' }), noPrivateKey],
  'halves of different keys': [withKey({ x: newKey().x }), noPrivateKey],
  'a key that is too short': [withKey({ d: key.d.slice(4) }), noPrivateKey],
  'a directory without TLS': [
    { WEB_BOT_AUTH_KEY, WEB_BOT_AUTH_DIRECTORY: 'http://bots.example.com' },
    'WEB_BOT_AUTH_DIRECTORY must be an https URL',
    'http://bots.example.com',
  ],
  'a directory with a path': [
    { WEB_BOT_AUTH_KEY, WEB_BOT_AUTH_DIRECTORY: 'https://bots.example.com/keys' },
    'WEB_BOT_AUTH_DIRECTORY must be',
    'without a path',
  ],
};
for (const [name, [env, ...messages]] of Object.entries(wrong)) {
  test(`the server does not start with ${name}`, async () => {
    const message = await startService({ env }).then(
      () => 'it started',
      (error: unknown) => String(error),
    );
    assert.match(message, 'the server exited with code 78');
    for (const each of messages) assert.match(message, each);
    assert.not.match(message, key.d);
  });
}
