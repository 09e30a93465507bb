// Stored secrets: typed by loadSecret where their origins allow it, and revealed nowhere: not in responses, the log,
// recordings or errors.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { handshake, rawClient, socketUrl } from '../support/clients/clients.ts';
import { profilesKey } from '../support/clients/profiles.ts';
import { listed } from '../support/clients/recordings.ts';
import { loadStep, nowhere, putSecret, runSteps, secretValue } from '../support/clients/secrets.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { startService } from '../support/service.ts';

const value = secretValue;
const other = 'token-of-bob';

const put = (name: string, body: object, token?: string) => putSecret(service, name, body, token);

const { test, service, site } = fixtureSuite('secrets', {
  env: {
    TOKEN: `token-of-ann,${other}`,
    PROFILES_KEY: profilesKey,
    LOG_LEVEL: 'debug',
    REPLAY_MASK: 'password',
  },
});
test.before(async () => {
  succeeded(await put('shop', { value, origins: [site.url] }));
  succeeded(await put('op://Vault/Shop/password', { value, origins: [site.url] }));
});
test.after(() => nowhere(service.output(), 'log'));

const run = (steps: string, query: Record<string, string> = {}, path = '/chromium/bql', token?: string) =>
  runSteps(service, steps, { query, path, ...(token === undefined ? {} : { token }) });

const form = () => `goto(url: "${site.url}/bql/login") { status }`;
const load = loadStep;

test('lists show names and origins, never values, and only to their own token', async () => {
  const { text, json } = succeeded(await service.get('/secrets'));
  nowhere(text, 'list');
  assert.equal(
    json<{ name: string; origins: string[] }[]>().map(({ name, origins }) => [name, origins]),
    [
      ['op://Vault/Shop/password', [site.url]],
      ['shop', [site.url]],
    ],
  );
  assert.equal(succeeded(await service.get('/secrets', { token: other })).json(), []);
  refused(await service.get('/secret/shop', { method: 'DELETE', token: other }), 404);
  nowhere((await service.get('/secret/shop')).text, 'a GET of it');
  succeeded(await put('gone', { value, origins: [site.url] }));
  assert.is((await service.get('/secret/gone', { method: 'DELETE' })).status, 204);
  refused(await service.get('/secret/gone', { method: 'DELETE' }), 404);
});

test('invalid bodies are rejected without the value in the response', async () => {
  for (const [body, told] of [
    [{ value, origins: [] }, 'origins'],
    [{ value, origins: ['https://a.example/path'] }, 'origin'],
    [{ value, origins: ['file:///etc'] }, 'origin'],
    [{ value, origins: ['*'] }, 'origin'],
    [{ value: '', origins: [site.url] }, 'value'],
    [{ value: value.repeat(1_000), origins: [site.url] }, 'value'],
    [{ value: { value }, origins: [site.url] }, 'value'],
    [{ value, origins: [site.url], more: 1 }, 'more'],
  ] as const) {
    nowhere(refused(await put('bad', body), 400, told).text, told);
  }
  refused(await put('x'.repeat(256), { value, origins: [site.url] }), 400, '255');
});

test.proves('loadSecret.ref loadSecret.selector');
test('the secret is typed into the field, and the site receives it', async () => {
  const steps = `${form()} type(selector: "#user", text: "ann", delay: [0, 0]) { time } ${load()} click(selector: "button") { time } waitForNavigation { url status }`;
  const { data, errors } = await run(steps);
  assert.is(errors, undefined);
  assert.equal(data.loadSecret, { ok: true, error: null, message: null });
  const sent = site.requests.find(({ path }) => path.includes('/bql/login-done'));
  assert.is(sent?.query.get('p'), value);
});

test("works for the focused element and for a name in another vault's format", async () => {
  const steps = `${form()} click(selector: "#pass") { time } loadSecret(ref: "op://Vault/Shop/password") { ok error message }`;
  assert.is((await run(steps)).data.loadSecret.ok, true);
});

test.proves('loadSecret.timeout');
test('reports why a secret is not filled in', async () => {
  const elsewhere = site.otherUrl;
  for (const [steps, error] of [
    [`${form()} ${load('#pass', 'none')}`, 'CredentialNotResolved'],
    [`${form()} ${load('#no-such').replace('") {', '", timeout: 300) {')}`, 'SelectorNotFound'],
    [`${form()} loadSecret(ref: "shop") { ok error message }`, 'NoFocusedElement'],
    [`${form()} ${load('button')}`, 'TargetNotFillable'],
    [`goto(url: "${elsewhere}/bql/login") { status } ${load()}`, 'DomainNotAllowed'],
    [`${form()} evaluate(content: "1") { value } ${load()}`, 'TargetNotFillable'],
    [`${form()} addScriptTag(content: "1") { time } ${load()}`, 'TargetNotFillable'],
    [`${form()} click(selector: "document.querySelector('#user')") { time } ${load()}`, 'TargetNotFillable'],
  ] as const) {
    const { data, errors } = await run(steps);
    assert.is(data?.loadSecret?.error, error, `${steps}: ${JSON.stringify({ data, errors })}`);
    assert.is(data.loadSecret.ok, false);
    assert.type(data.loadSecret.message, 'string');
  }
  const theirs = await run(`${form()} ${load()}`, {}, '/chromium/bql', other);
  assert.is(theirs.data.loadSecret.error, 'CredentialNotResolved');
});

test('afterward, no step can read or show the page', async () => {
  const readers = [
    'html { html }',
    'text { text }',
    'title { title }',
    'cookies { cookies { name } }',
    'evaluate(content: "document.querySelector(\'#pass\').value") { value }',
    'querySelector(selector: "#pass") { innerHTML }',
    'querySelectorAll(selector: "input") { innerHTML }',
    'mapSelector(selector: "input") { v: attribute(name: "value") { value } }',
    'screenshot { base64 }',
    'pdf { base64 }',
    'request { url }',
    'response { url }',
    'liveURL { liveURL }',
    'addScriptTag(content: "document.title = document.querySelector(\'#pass\').value") { time }',
    'addStyleTag(content: "x{}") { time }',
    'waitForSelector(selector: "[value^=c]") { time }',
    'waitForSelector(selector: "\\\\5b value]") { time }',
    'click(selector: "document.querySelector(\'#user\')") { time }',
    'if(selector: "input[value^=c]") { title { title } }',
  ];
  // Each is rejected before it does anything, so one browser is enough for all.
  const steps = readers.map((reader, at) => `r${at}: ${reader}`);
  const { data: read, errors = [] } = await run(`${form()} ${load()} ${steps.join(' ')}`);
  assert.is(read?.loadSecret?.ok, true, JSON.stringify({ read, errors }));
  for (const [at, reader] of readers.entries()) {
    const told = errors.find(({ path }: { path: string[] }) => path[0] === `r${at}`);
    assert.match(told?.message ?? '', 'refused', reader);
    assert.is(read[`r${at}`] ?? null, null);
  }
  // A form that submits by GET puts the password into the URL.
  const { data } = await run(
    `${form()} ${load()} click(selector: "button") { time } waitForNavigation { url } url { url } title { title }`,
  );
  assert.is(data.url.url, `${site.url}/`);
  assert.is(data.waitForNavigation.url, `${site.url}/`);
});

test('a reconnectable browser stays restricted: no client, live view, recording, or later document', async () => {
  const steps = `${form()} ${load()} reconnect(timeout: 20000) { browserQLEndpoint browserWSEndpoint webSocketDebuggerUrl }`;
  const { data, errors } = await run(steps, { replay: 'true' });
  assert.is(data?.loadSecret?.ok, true, JSON.stringify({ data, errors }));
  const { browserQLEndpoint, browserWSEndpoint, webSocketDebuggerUrl } = data.reconnect;
  for (const address of [browserWSEndpoint, webSocketDebuggerUrl]) {
    const { status, text } = await handshake(service, new URL(address).pathname);
    assert.is(status, 400, address);
    assert.match(text, 'loadSecret has filled in a secret');
  }
  const { pathname } = new URL(browserQLEndpoint);
  const id = pathname.split('/').at(-1);
  refused(await service.post(`/browser/${id}/live`, {}), 400, 'loadSecret');
  refused(await service.post(`/function/${id}`, { code: 'export default () => 1' }), 400, 'loadSecret');
  const later = await run('html { html } reconnect(timeout: 20000) { browserQLEndpoint }', {}, pathname);
  assert.match(later.errors[0].message, 'refused');
  const replay = await service.post(pathname, { query: 'mutation { url { url } }' }, { query: { replay: 'true' } });
  nowhere(replay.text, 'replay');
  assert.is(replay.status >= 400, true, `a hidden browser is recorded: ${replay.text}`);
  const [recording] = (await listed(service)).recordings;
  assert.equal([recording?.state, recording?.tabs.length], ['finished', 1], 'it ended before the secret was loaded');
  await service.get('/kill/all');
  const paths = filesBelow(service.env['RECORDINGS_DIR'] ?? '');
  assert.ok(paths.some((path) => path.endsWith('.gz')));
  for (const path of paths) {
    const bytes = readFileSync(path);
    nowhere(path.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString('latin1'), path);
  }
});

test('a browser that a CDP client has controlled cannot load secrets', async () => {
  const client = await rawClient(socketUrl(service, '/'));
  const { result } = await client.send('Browserless.reconnect', { timeout: 20_000 });
  const id = String(result?.['browserWSEndpoint']).split('/').at(-1);
  client.socket.close();
  await client.closed;
  const { data } = await run(`${form()} ${load()}`, {}, `/chromium/bql/${id}`);
  assert.is(data.loadSecret.error, 'TargetNotFillable');
  assert.match(data.loadSecret.message, 'A CDP client has driven this browser');
  await service.get('/kill/all');
});

test('a server without a key says so in the response', async () => {
  await using bare = await startService({ env: { SPARES: '0' } });
  refused(await bare.get('/secrets'), 501, 'PROFILES_KEY');
  const query = `mutation { goto(url: "${site.url}/bql/login") { status } ${load()} }`;
  const json: any = succeeded(await bare.post('/chromium/bql', { query })).json();
  assert.is(json.data.loadSecret.error, 'VaultUnreachable');
  assert.match(json.data.loadSecret.message, 'PROFILES_KEY');
});

test('files on disk are encrypted', () => {
  for (const path of filesBelow(service.env['PROFILES_DIR'] ?? '')) nowhere(readFileSync(path, 'latin1'), path);
});

function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
