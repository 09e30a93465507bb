// A server with KEY_PUBLIC runs only with a software key: with an invalid or expired one, it exits with 77, and a new
// one in the file takes effect without a restart. Keys are signed here without the library that the server verifies
// them with.
import { spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { samples } from '../support/checks/doc-samples.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect } from '../support/clients/clients.ts';
import { send } from '../support/clients/http.ts';
import { runMain, type Service, startProcess, startService } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { idleNow } from '../support/idle-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const test = suite('software key', { timeoutMs: 120_000 });
const pair = generateKeyPairSync('ed25519');
const publicKey = pair.publicKey.export({ format: 'jwk' }).x ?? '';
const subject = 'Example Ltd';
const daySeconds = 86_400;
const base = temporaryDirectory();

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

/** Signs a key as an operator would. */
function keyOf(claims: object, privateKey: KeyObject = pair.privateKey, header: object = { alg: 'EdDSA' }): string {
  const signed = `${part(header)}.${part({ sub: subject, exp: inSeconds(3_600), ...claims })}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** Starts a server in the process of the test, which must refuse to start. */
async function refusesToStart(env: Record<string, string>, code: number, ...says: (string | RegExp)[]): Promise<void> {
  const message = await startService({ env: { SPARES: '0', ...env } }).then(
    (service) => service.stop().then(() => 'it started'),
    (error: Error) => error.message,
  );
  for (const each of [`exited with code ${code}`, ...says]) assert.match(message, each);
  if (code !== 77) return;
  for (const secret of [env['KEY'], publicKey]) if (secret) assert.not.match(message, secret);
}

/** Starts a server process that must refuse to start. @returns the time until it exited, in milliseconds */
async function ends77(env: Record<string, string>, ...says: (string | RegExp)[]): Promise<number> {
  const began = idleNow();
  const { code, output } = await runMain({
    env: { PORT: '0', HOST: '127.0.0.1', METRICS_JSON_PATH: join(base, 'metrics.json'), ...env },
  });
  const took = idleNow() - began;
  assert.is(code, 77, output);
  for (const each of says) assert.match(output.trim().split('\n').at(-1) ?? '', each);
  for (const secret of [env['KEY'], publicKey]) if (secret) assert.not.match(output, secret);
  assert.not.match(output, '"event":"listening"');
  return took;
}

test('exits with 77 within a second for an expired key, and the last line says whose key expired and when', async () => {
  const KEY = keyOf({ exp: inSeconds(-2 * daySeconds) });
  const day = new Date(inSeconds(-2 * daySeconds) * 1_000).toISOString().slice(0, 10);
  const last = new RegExp(`^The software key for Example Ltd expired on ${day}\\. Put a new one in KEY\\.$`);
  const times: number[] = [];
  // Repeat, because other processes on this machine may slow down the first attempt.
  while (times.length < 5 && !times.some((each) => each < 1_000)) {
    times.push(await ends77({ KEY, KEY_PUBLIC: publicKey }, last));
  }
  assert.ok(
    times.some((each) => each < 1_000),
    times.join(),
  );
});

const other = generateKeyPairSync('ed25519').privateKey;
const [head = '', , signature = ''] = keyOf({}).split('.');
const none = `${part({ alg: 'none' })}.${part({ sub: subject, exp: inSeconds(3_600) })}.`;
const hmac = `${part({ alg: 'HS256' })}.${part({ sub: subject, exp: inSeconds(3_600) })}.${signature}`;
const wrong: Record<string, [key: string, says: RegExp]> = {
  'modified claims': [
    `${head}.${part({ sub: subject, exp: inSeconds(99_999_999) })}.${signature}`,
    /was changed or was not signed/,
  ],
  'a different signer': [keyOf({}, other), /was not signed with the private key for KEY_PUBLIC/],
  'an expired key from a different signer': [keyOf({ exp: 1 }, other), /was not signed/],
  'no signature': [none, /not contain a software key: it must be a JSON Web Token signed with EdDSA/],
  'a signature with a shared secret': [hmac, /not contain a software key/],
  'not a JSON Web Token': ['0123456789abcdef', /KEY does not contain a software key/],
  'no expiration': [keyOf({ exp: undefined }), /"exp" claim of the software key in KEY is missing/],
  'no subject': [keyOf({ sub: undefined }), /"sub" claim of the software key in KEY is missing/],
  'a subject with two lines': [keyOf({ sub: 'a\n{"event":"listening"}' }), /"sub" claim.* is invalid/],
  'a concurrency of zero': [keyOf({ concurrent: 0 }), /"concurrent" claim.* is invalid/],
  'a start date in the future': [keyOf({ nbf: inSeconds(3_600) }), /not valid yet/],
};
for (const [what, [KEY, says]] of Object.entries(wrong)) {
  test(`exits with 77: ${what}`, () => refusesToStart({ KEY, KEY_PUBLIC: publicKey }, 77, says));
}

test('exits with 77 for a missing key or key file, and --check reports expired and valid keys', async () => {
  const needs = /needs a software key\. Set KEY to it, or KEY_FILE to its path/;
  await refusesToStart({ KEY_PUBLIC: publicKey }, 77, needs);
  const KEY_FILE = join(base, 'missing');
  await refusesToStart({ KEY_PUBLIC: publicKey, KEY_FILE }, 77, /missing cannot be read\. Correct KEY_FILE/);
  const check = (KEY: string) => runMain({ args: ['--check'], env: { PORT: '0', KEY, KEY_PUBLIC: publicKey } });
  const expired = await check(keyOf({ exp: 1 }));
  assert.match(expired.output, /problem +software key +The software key for Example Ltd expired on 1970-01-01/);
  assert.is(expired.code, 77);
  const valid = await check(keyOf({ exp: 4_102_444_800, plan: 'team', concurrent: 3 }));
  assert.match(
    valid.output,
    /ok +software key +issued to Example Ltd, plan team, 3 concurrent requests, expires on 2100-01-01/,
  );
});

test('exits with 78 for an invalid public key and for two keys', async () => {
  const secret = JSON.stringify(pair.privateKey.export({ format: 'jwk' }));
  for (const KEY_PUBLIC of ['abc', secret, '-----BEGIN PUBLIC KEY-----AAAA-----END PUBLIC KEY-----']) {
    await refusesToStart({ KEY: keyOf({}), KEY_PUBLIC }, 78, 'KEY_PUBLIC must be an Ed25519 public key');
  }
  const both = { KEY: keyOf({}), KEY_FILE: '/x', KEY_PUBLIC: publicKey };
  await refusesToStart(both, 78, 'KEY and KEY_FILE are both set: remove one of them.');
});

test('every form of the public key verifies the same key', async () => {
  const jwk = JSON.stringify(pair.publicKey.export({ format: 'jwk' }));
  const pem = createPublicKey(pair.privateKey).export({ format: 'pem', type: 'spki' }).toString();
  for (const KEY_PUBLIC of [publicKey, jwk, pem]) {
    await refusesToStart({ KEY: keyOf({ exp: 1 }), KEY_PUBLIC }, 77, /expired on 1970-01-01/);
  }
});

/** Settings printed by a program from the documentation. */
function settingsOf(output: string): Record<string, string> {
  return Object.fromEntries([...output.matchAll(/^(KEY\w*)=(.+)$/gm)].map(([, name, value]) => [name, value]));
}

test.proves('KEY_PUBLIC KEY');
test('the key from the documentation starts a server and limits its concurrency', async () => {
  const sample = samples.find(({ id }) => id === 'software-key-make');
  const file = join(base, 'make.mjs');
  writeFileSync(file, sample?.text ?? '');
  const program = spawnSync('node', [file], { encoding: 'utf8' });
  assert.is(program.status, 0, program.stderr);
  assert.match(program.stderr, 'BEGIN PRIVATE KEY');
  const env = settingsOf(program.stdout);
  await using service = await startService({ env: { ...env, CONCURRENT: '8', SPARES: '0' } });
  const { pressure } = succeeded(await service.get('/pressure')).json() as { pressure: Record<string, unknown> };
  assert.equal([pressure['maxConcurrent'], pressure['message']], [5, 'Ready for requests.']);
  assert.is((succeeded(await service.get('/config')).json() as { concurrent: number }).concurrent, 5);
  const line = service.logs().find(({ event }) => event === 'key.valid');
  assert.equal([line?.['subject'], line?.['plan'], line?.['concurrent']], ['Example Ltd', 'team', 5]);
  assert.not.match(service.output(), env['KEY'] ?? 'no key');
  const text = await metrics(service);
  const seconds = Number(/^browserd_key_expires_seconds (\d+)$/m.exec(text)?.[1]);
  assert.ok(Math.abs(seconds - 365 * daySeconds) < 300, String(seconds));
});

const metrics = async (service: Service) =>
  succeeded(await service.get('/metrics', { headers: { accept: 'text/plain' } })).text;

test('a server without KEY_PUBLIC does not need a key and has no metric for one', async () => {
  await using service = await startService({ env: { KEY: 'of another server', SPARES: '0' } });
  assert.match(service.output(), 'KEY has no effect unless KEY_PUBLIC is set.');
  assert.not.match(service.output(), 'of another server');
  assert.not.match(await metrics(service), 'browserd_key_expires_seconds');
});

test('warns 30, 7 and 1 days before: in the log and /pressure, not on the public status page', async () => {
  for (const [days, left] of [
    [29, 'in 29 days'],
    [6, 'in 6 days'],
    [0.9, 'in less than a day'],
  ] as const) {
    const KEY = keyOf({ exp: inSeconds(days * daySeconds + (days < 1 ? 0 : 3_600)) });
    await using service = await startService({ env: { KEY, KEY_PUBLIC: publicKey, SPARES: '0' } });
    const warnings = service.logs().filter(({ event }) => event === 'key.expires');
    assert.is(warnings.length, 1);
    assert.match(String(warnings[0]?.['message']), `The software key for Example Ltd expires ${left}, on `);
    // /pressure starts a browser: one server is enough.
    if (days !== 6) continue;
    const { pressure } = succeeded(await service.get('/pressure')).json() as { pressure: Record<string, unknown> };
    assert.match(String(pressure['message']), `Ready for requests. The software key for Example Ltd expires ${left}`);
    assert.is(pressure['isAvailable'], true);
    assert.not.match((await service.get('/status')).text, 'Example Ltd');
  }
});

/** A file for keys. @returns replaces the old file with a new one, as secret managers do */
const keyFile = (name: string) => (key: string) => {
  const path = join(base, name);
  writeFileSync(`${path}.new`, `${key}\n`);
  renameSync(`${path}.new`, path);
};

test('when the key expires, new requests get a 503, running sessions are drained, and the server exits with 77', async () => {
  const drainMs = 4_000;
  const put = keyFile('expiring');
  put(keyOf({}));
  const service = await startProcess({
    env: {
      KEY_FILE: join(base, 'expiring'),
      KEY_PUBLIC: publicKey,
      DRAIN_TIMEOUT_MS: String(drainMs),
      SOCKET_DRAIN_MS: String(drainMs),
      SPARES: '0',
    },
  });
  const browser = await connect(service);
  const page = await browser.newPage();
  // It runs until the session ends.
  const busy = page
    .evaluate(() => new Promise(() => {}))
    .then(
      () => 0,
      () => Date.now(),
    );
  // Set only now, because a server may take a long time to start.
  const expires = inSeconds(5);
  put(keyOf({ exp: expires }));
  await until('the key to expire', () => service.logs().some(({ event }) => event === 'key.expired'), 20_000);
  assert.ok(Date.now() >= expires * 1_000);
  const answer = await send(`${service.url}/content`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"html":"x"}',
  });
  refused(answer, 503, 'The server is shutting down.');
  assert.ok((await busy) - expires * 1_000 > drainMs / 2, 'the running session has time to finish');
  await until('the server to exit', () => service.output().endsWith('in KEY_FILE.\n'), drainMs + 3_000);
  const lines = service.output().trim().split('\n');
  assert.match(
    lines.at(-1) ?? '',
    /^The software key for Example Ltd expired on \d{4}-\d\d-\d\d\. Put a new one in KEY_FILE\.$/,
  );
  assert.is(await service.exited, 77);
  assert.ok(Date.now() - expires * 1_000 < drainMs + 3_000, `${Date.now() - expires * 1_000} ms`);
  await until('processes to exit', () => service.leftovers().processes.length === 0, 2_000);
  assert.equal(service.leftovers(), { processes: [], files: [] });
  rmSync(service.baseDir, { recursive: true });
});

test.proves('KEY_FILE');
test('a new key in the file takes effect without interrupting anything', async () => {
  const KEY_FILE = join(base, 'key');
  const put = keyFile('key');
  put(keyOf({ exp: inSeconds(3_600), concurrent: 1 }));
  await using service = await startService({ env: { KEY_FILE, KEY_PUBLIC: publicKey, SPARES: '0' } });
  const browser = await connect(service);
  const page = await browser.newPage();
  const slots = async () => {
    const { pressure } = succeeded(await service.get('/pressure')).json() as { pressure: { maxConcurrent: number } };
    return pressure.maxConcurrent;
  };
  assert.is(await slots(), 1);
  const waits = service.post('/content', { html: '<p>after the wait</p>' });
  put(keyOf({ exp: inSeconds(3_600) }, other));
  const refusal = () => service.logs().filter(({ event }) => event === 'key.refused');
  await until('the wrong key to be rejected', () => refusal().length > 0, 5_000);
  assert.match(String(refusal()[0]?.['message']), /KEY_FILE was changed or .* The previous key remains in effect\./);
  const renewed = () => service.logs().filter(({ event }) => event === 'key.renewed').length;
  const expires = inSeconds(8);
  put(keyOf({ exp: expires, concurrent: 1 }));
  await until('the expiring key to take effect', () => renewed() === 1, 5_000);
  assert.is(await slots(), 1);
  put(keyOf({ exp: inSeconds(3_600), concurrent: 2 }));
  await until('the new key to take effect', () => renewed() === 2, 5_000);
  assert.is(await slots(), 2);
  // The request that got no slot under the old key gets one under the new key.
  assert.match(succeeded(await waits).text, 'after the wait');
  await until('the old key to expire', () => Date.now() > expires * 1_000 + 1_000, 20_000);
  assert.is(await page.evaluate(() => 1 + 1), 2);
  assert.match(succeeded(await service.post('/content', { html: '<p>on</p>' })).text, '<p>on</p>');
  assert.is(refusal().length, 1);
  await browser.close();
});
