// After loadSecret, no step reveals the secret bit by bit, and a client's own proxy never gets to read it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import puppeteer from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { profilesKey } from '../support/clients/profiles.ts';
import { proxyPassword, proxyUser, startHttpProxy, type TestProxy } from '../support/clients/proxies.ts';
import { loadStep as load, nowhere, putSecret, runSteps, secretValue as value } from '../support/clients/secrets.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { endRenderers } from '../support/processes.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('what could tell a secret', {
  env: async () => {
    proxy = await startHttpProxy();
    return {
      PROFILES_KEY: profilesKey,
      SPARES: '0',
      RESIDENTIAL_PROXY_URL: `http://${proxyUser}:${encodeURIComponent(proxyPassword)}@127.0.0.1:${proxy.port}`,
    };
  },
});
let proxy: TestProxy;

test.before(async () => {
  succeeded(await putSecret(service, 'shop', { value, origins: [site.url] }));
  succeeded(await putSecret(service, 'safe', { value, origins: [site.secureUrl] }));
});
test.after(async () => {
  nowhere(service.output(), 'log');
  await proxy.close();
});

const form = (base = site.url) => `goto(url: "${base}/bql/login") { status }`;
const send = 'click(selector: "button") { time } waitForNavigation { status url }';
const run = (steps: string, query: Record<string, string> = {}, path?: string) =>
  runSteps(service, steps, { query, ...(path === undefined ? {} : { path }) });

/** Steps of a document, each with a unique name. */
const named = (steps: readonly string[]) => steps.map((step, at) => `r${at}: ${step}`).join(' ');

test('no step can probe URLs and titles for the secret letter by letter', async () => {
  const oracles = [
    'waitForRequest(url: "*p=c*", timeout: 200) { time }',
    'waitForResponse(url: "*p=c*", timeout: 200) { time }',
    'if(request: { url: "*p=c*" }) { url { url } }',
    'if(response: { url: "*p=c*" }) { url { url } }',
    'ifnot(request: { url: "*p=c*" }) { url { url } }',
    'ifnot(response: { url: "*p=c*", statuses: [200] }) { url { url } }',
    'reject(url: "*p=c*") { enabled }',
    'reject(regex: "p=c", type: [image]) { enabled }',
    `proxy(server: "${proxy.url()}", url: "*p=c*") { time }`,
    'proxy(country: US, url: "*p=c*") { time }',
    'switchToWindow(url: "*p=c*") { success }',
    'switchToWindow(title: "c*") { success }',
    'waitForSelector(selector: "< *p=c* body", timeout: 200) { time }',
    'click(selector: "< *login-done?u=&p=c* button", wait: false) { time }',
  ];
  const { data, errors = [] } = await run(`${form()} ${load()} ${send} ${named(oracles)}`);
  assert.is(data?.loadSecret?.ok, true, JSON.stringify({ data, errors }));
  assert.is(data.waitForNavigation.status, 200);
  for (const [at, step] of oracles.entries()) {
    const stepError = errors.find(({ path }: { path: string[] }) => path[0] === `r${at}`);
    assert.match(stepError?.message ?? '', 'refused because loadSecret', step);
    assert.is(data[`r${at}`] ?? null, null, step);
  }
});

test('steps that cannot reveal the secret still work', async () => {
  const steps = [
    'waitForRequest(method: GET) { time }',
    'waitForResponse(statuses: 200) { status }',
    'if(request: { method: GET }) { url { url } }',
    'if(selector: "#pass") { url { url } }',
    'ifnot(response: { statuses: [500] }) { url { url } }',
    'reject(type: [image]) { enabled }',
    'reject(enabled: false) { enabled }',
    'waitForSelector(selector: "< #user") { time }',
    'switchToWindow(newest: true, timeout: 100) { success }',
  ];
  const { data, errors } = await run(`${form()} ${load()} ${named(steps)} ${send}`);
  assert.is(errors, undefined, JSON.stringify(errors));
  for (const at of steps.keys()) assert.ok(data[`r${at}`], steps[at]);
  assert.is(data.waitForNavigation.status, 200);
});

test('a page crash does not lift the restrictions, neither for the secret nor for scripts that ran', async () => {
  const keep = 'reconnect(timeout: 20000) { browserQLEndpoint }';
  // The document that runs into the crash may report it.
  const afterCrash = async (steps: string, path: string) => {
    endRenderers(service.tree());
    const first = await run(`${steps} ${keep}`, {}, path);
    const met = first.errors?.some(({ extensions }: any) => extensions?.code === 'PAGE_CRASHED');
    return met ? run(`${steps} ${keep}`, {}, path) : first;
  };
  const filled = await run(`${form()} ${load()} ${keep}`);
  assert.is(filled.data?.loadSecret?.ok, true, JSON.stringify(filled));
  const { pathname } = new URL(filled.data.reconnect.browserQLEndpoint);
  const read = await afterCrash(`${form()} html { html }`, pathname);
  assert.is(read.data.goto.status, 200);
  assert.match(read.errors[0].message, 'refused because loadSecret');
  await service.get('/kill/all');

  const ran = await run(`${form()} evaluate(content: "1") { value } ${keep}`);
  const later = await afterCrash(`${form()} ${load()}`, new URL(ran.data.reconnect.browserQLEndpoint).pathname);
  assert.is(later.data.loadSecret.error, 'TargetNotFillable', JSON.stringify(later));
  await service.get('/kill/all');
});

test('a response does not reveal whether a guess is right', async () => {
  const guesses = `wrong,${value},neither`;
  const page = `${site.url}/small?guess=${encodeURIComponent(guesses)}`;
  const steps = [
    `type(selector: "#user", text: ${JSON.stringify(guesses)}) { text }`,
    `click(selector: ${JSON.stringify(`.no-${guesses.replaceAll(/[^a-z]/g, '-')}`)}, timeout: 100) { time }`,
    `goto(url: "${page}") { url }`,
    'url { url }',
  ];
  // Not with `run`, which treats any response that contains the value as a leak: here the client has sent it.
  const query = `mutation { ${form()} ${load()} ${named(steps)} }`;
  const { data, errors }: any = succeeded(await service.post('/chromium/bql', { query })).json();
  assert.is(data.loadSecret.ok, true);
  assert.is(data.r0.text, guesses);
  assert.not.match(JSON.stringify(errors), '***');
  assert.equal([data.r2.url, data.r3.url], [page, `${site.url}/`]);
});

test('request rules that were set earlier do not see the secret', async () => {
  const before = proxy.targets().length;
  const rules = `a: reject(url: ["*p=c*", "*p=${value[0]}*"]) { enabled } b: reject(regex: ["p=c", "correct.horse"]) { enabled } c: proxy(url: "*horse*") { time }`;
  const { data, errors } = await run(`${form()} ${rules} ${load()} ${send}`);
  assert.is(errors, undefined, JSON.stringify(errors));
  assert.is(data.waitForNavigation.status, 200);
  assert.is(proxy.targets().length, before, 'the proxy was not used');
  // Rules for other parts of the address work.
  const refused = await run(`${form()} reject(url: "*login-done*") { enabled } ${load()} ${send}`);
  assert.not.equal(refused.data.waitForNavigation?.status, 200);
});

test('a subscription reveals nothing, and no new one starts', async () => {
  const client = createClient({ url: `${service.url.replace('http', 'ws')}/chromium/bql`, lazy: false });
  const events: string[] = [];
  try {
    const listened = client.iterate<any>({ query: 'subscription { request(url: "*p=c*") { url } }' });
    const listening = (async () => {
      for await (const event of listened) events.push(JSON.stringify(event));
      events.push('completed');
    })();
    // The shape of a response depends on its document.
    const ask = async (query: string): Promise<any> => {
      for await (const answer of client.iterate({ query })) return answer;
      return undefined;
    };
    const { data } = await ask(`mutation { ${form()} ${load()} ${send} }`);
    assert.is(data.waitForNavigation.status, 200);
    const late = await ask('subscription { request { url } }');
    assert.match(late.errors[0].message, 'Subscriptions are refused because loadSecret');
    assert.equal(events, [], 'no event or completion reveals a match');
    await client.dispose();
    await listening.catch(() => {});
  } finally {
    await client.dispose();
  }
});

test("a client's proxy does not get a secret if it could read the traffic", async () => {
  const own = proxy.url();
  const launch = (options: object) => ({ launch: JSON.stringify(options) });
  const insecure = { acceptInsecureCerts: true };
  const step = `proxy(server: "${own}", type: [document]) { time }`;
  const safe = load('#pass', 'safe');
  for (const [query, steps, why] of [
    [{ externalProxyServer: own, ...launch(insecure) }, `${form(site.secureUrl)} ${safe}`, 'acceptInsecureCerts'],
    [launch({ args: [`--proxy-server=127.0.0.1:${proxy.port}`], ...insecure }), safe, 'acceptInsecureCerts'],
    [{ externalProxyServer: own, ...launch({ args: ['--ignore-certificate-errors'] }) }, safe, 'acceptInsecureCerts'],
    [launch(insecure), `${form(site.secureUrl)} ${step} ${safe}`, 'acceptInsecureCerts'],
    [{ externalProxyServer: own }, `${form()} ${load()}`, 'not encrypted'],
    [{}, `${form()} ${step} ${load()}`, 'not encrypted'],
    [launch({ args: ['--disable-web-security'] }), `${form()} ${load()}`, '--disable-web-security'],
  ] as const) {
    const { data, errors } = await run(steps, query);
    assert.is(data?.loadSecret?.error, 'TargetNotFillable', `${steps}: ${JSON.stringify({ data, errors })}`);
    assert.match(data.loadSecret.message, why);
  }
});

test("a client's proxy cannot be added afterward; the operator's proxy is allowed", async () => {
  const step = `proxy(server: "${proxy.url()}", type: [document]) { time }`;
  for (const [query, base, secret] of [
    [{ launch: '{"acceptInsecureCerts":true}' }, site.secureUrl, 'safe'],
    [{}, site.url, 'shop'],
  ] as const) {
    const { data, errors } = await run(`${form(base)} ${load('#pass', secret)} ${step} ${send}`, query);
    assert.is(data?.loadSecret?.ok, true, JSON.stringify({ data, errors }));
    assert.match(errors?.[0]?.message ?? '', '"server" is refused');
    assert.is(data.waitForNavigation.status, 200);
  }
  const { data, errors } = await run(`${form()} ${load()}`, { proxy: 'residential' });
  assert.is(data?.loadSecret?.ok, true, JSON.stringify({ data, errors }));
});

test("a browser in which a client's proxy could impersonate sites cannot load secrets later, even with other options", async () => {
  const keep = 'reconnect(timeout: 20000) { browserQLEndpoint }';
  const first = await run(`title { title } ${keep}`);
  const { pathname } = new URL(first.data.reconnect.browserQLEndpoint);
  const step = `proxy(server: "${proxy.url()}", type: [document]) { time }`;
  const second = await run(`${step} ${form(site.secureUrl)} ${keep}`, { acceptInsecureCerts: 'true' }, pathname);
  assert.is(second.data?.goto?.status, 200, JSON.stringify(second));
  const { data } = await run(`${form()} ${load()}`, {}, pathname);
  assert.is(data.loadSecret.error, 'TargetNotFillable');
  assert.match(data.loadSecret.message, 'let a proxy impersonate sites');
});

test.needs('a full Chromium');
test("a data directory remembers what controlled it, both a client's own and a session's", async () => {
  const own = await run(`${form()} ${load()}`, { launch: '{"userDataDir":"secrecy"}' });
  assert.is(own.data.loadSecret.error, 'TargetNotFillable');
  assert.match(own.data.loadSecret.message, 'launch.userDataDir');
  const directory = join(service.env['DATA_DIR'] ?? '', 'secrecy');
  await until('the browser to exit', () => !service.tree().some(({ command }) => command.includes(directory)));
  rmSync(directory, { recursive: true });
  for (const [drive, why] of [
    ['script', 'Code from a document has run'],
    ['client', 'A CDP client has driven'],
    ['nothing', ''],
  ] as const) {
    const made: any = succeeded(await service.post('/session', { ttl: 60_000, stealth: true })).json();
    const path = new URL(made.browserQL).pathname;
    if (drive === 'client') {
      const browser = await puppeteer.connect({ browserWSEndpoint: made.connect });
      await browser.close();
    } else await run(`${form()} ${drive === 'script' ? 'evaluate(content: "1") { value }' : ''}`, {}, path);
    // The browser closes when its last client disconnects: this is a new one with the same data.
    const { data, errors } = await run(`${form()} ${load()}`, {}, path);
    assert.is(data?.loadSecret?.ok, drive === 'nothing', JSON.stringify({ drive, data, errors }));
    assert.match(data.loadSecret.message ?? '', why);
    const ended = await service.get(new URL(made.stop).pathname, { method: 'DELETE', query: { force: true } });
    assert.is(ended.status, 204);
  }
});
