// Servers that join, freeze and die while a cluster with a registry is in use: only what ran on them is affected.
// @tier ci
import { rmSync } from 'node:fs';
import process from 'node:process';
import type { Browser } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, sessionsOf } from '../support/clients/clients.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { joinRegistered, startRegisteredWithVictim } from '../support/cluster.ts';
import { type ServerProcess, type Service, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { figure, suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { startValkey, type Valkey } from '../support/valkey.ts';

const test = suite('servers of a cluster that come and go', { timeoutMs: 90_000, needs: ['Redis'] });
const tokens = tokensFile([{ name: 'ann', concurrent: 2, queued: 0 }]);
const ann = { token: tokenOf('ann') };
/** How long a server counts as live after its last heartbeat, in milliseconds. */
const lifeMs = 6_000;
let valkey: Valkey;
let site: Site;
let first: Service;
let second: ServerProcess;
let third: ServerProcess;

test.before(async () => {
  site = await startSite();
  valkey = await startValkey();
  const env = { CONCURRENT: '4', QUEUED: '5', TOKENS_FILE: tokens.path, DRAIN_TIMEOUT_MS: '2000' };
  [second, first] = await startRegisteredWithVictim(1, valkey, env);
});
test.after(async () => {
  await stopAll(first, third, site, valkey);
  rmSync(second.baseDir, { recursive: true, force: true, maxRetries: 5 });
});

const makeSession = async (on: Service) =>
  succeeded(await on.post('/session', { ttl: 120_000, stealth: true })).json<{ id: string }>().id;
const untilQuiet = (servers: Service[]) =>
  until('all sessions to end', async () => (await Promise.all(servers.map(sessionsOf))).flat().length === 0);
const goTo = () => ({ query: `mutation { goto(url: "${site.url}/small") { status } }` });
const bql = (id: string) => `/session/bql/${id}`;

test('a server joins while requests run: requests and sessions are unaffected, and it gets its share', async () => {
  const kept = [await connect(first), await connect(first), await connect(second)];
  const made = [await makeSession(first), await makeSession(second)];
  const stop = new AbortController();
  const failures: string[] = [];
  const load = (async () => {
    for (let turn = 0; !stop.signal.aborted; turn++) {
      const [one, other] = turn % 2 === 0 ? [first, second] : [second, first];
      const { status, text } = await one.post('/content', { url: `${site.url}/small` });
      if (status !== 200) failures.push(text);
      await (await connect(other)).close();
    }
  })();
  third = await joinRegistered(first);
  const more: Browser[] = [];
  await until('the new server to get a browser', async () => {
    more.push(await connect(first));
    return (await sessionsOf(third)).length > 0;
  });
  stop.abort();
  await load;
  assert.equal(failures, []);
  for (const each of [...kept, ...more]) assert.match(await each.version(), 'Chrome');
  for (const id of made) {
    succeeded(await third.post(bql(id), goTo()));
    assert.is((await third.get(`/session/${id}`, { method: 'DELETE' })).status, 204);
  }
  for (const each of [...kept, ...more]) await each.close();
  await untilQuiet([first, second, third]);
});

test('kill -9: its ids return 410 immediately, its slots are not assigned, and other sessions continue', async () => {
  const kept: Browser[] = [];
  for (let turn = 0; turn < 3; turn++) kept.push(await connect(first));
  const there = (await sessionsOf(second)).filter(({ type }) => type === 'browser').length;
  const ids: string[] = [];
  for (let turn = 0; turn < 6; turn++) ids.push(await makeSession(first));
  const [lost] = ids.filter((id) => id.startsWith(nameOf(second)));
  const [stays] = ids.filter((id) => id.startsWith(nameOf(third)));
  if (lost === undefined || stays === undefined) throw new Error('expected sessions on each server');
  succeeded(await first.post(bql(lost), goTo()));
  await second.end('SIGKILL');
  await until('its browsers to exit', () => second.leftovers().processes.length === 0);
  const began = performance.now();
  for (const each of [first, third]) refused(await each.post(bql(lost), goTo()), 410, 'has left the cluster');
  figure(`410 after ${Math.round(performance.now() - began)} ms`);
  assert.ok(performance.now() - began < lifeMs);
  const live = () => kept.filter(({ connected }) => connected);
  await until('its clients to disconnect', () => live().length === kept.length - there);
  // Clients sent to the frozen server receive a browser on another server.
  const more = [];
  for (let turn = 0; turn < 4; turn++) more.push(await connect(first));
  succeeded(await first.post(bql(stays), goTo()));
  for (const each of [...live(), ...more]) assert.match(await each.version(), 'Chrome');
  for (const each of [...live(), ...more]) await each.close();
  for (const id of ids) await first.get(`/session/${id}`, { method: 'DELETE' });
  await untilQuiet([first, third]);
});

test('a frozen server gets nothing after its last heartbeat, and is used again when it is back', async () => {
  const held = await until('a browser on the third server', async () => {
    const browser = await connect(third, '/', ann);
    if ((await sessionsOf(third)).length > 0) return browser;
    await browser.close();
    return undefined;
  });
  const here = (await sessionsOf(third)).length;
  process.kill(third.pid, 'SIGSTOP');
  try {
    await until('the others to notice', async () => {
      const { text } = await first.get('/metrics', { headers: { accept: 'text/plain' } });
      return text.includes('browserd_cluster_servers 1');
    });
    const browsers = [await connect(first), await connect(first), await connect(first)];
    assert.is((await sessionsOf(first)).filter(({ type }) => type === 'browser').length >= 3, true);
    // The limit of a token also counts what runs there.
    const one = await connect(first, '/', ann);
    assert.is((await handshake(first, '/', ann)).status, 429);
    for (const each of [...browsers, one]) await each.close();
  } finally {
    process.kill(third.pid, 'SIGCONT');
  }
  await until('the third server to be back', async () => {
    const { text } = await first.get('/metrics', { headers: { accept: 'text/plain' } });
    return text.includes('browserd_cluster_servers 2');
  });
  assert.match(await held.version(), 'Chrome');
  assert.is((await sessionsOf(third)).length, here);
  await held.close();
});

const nameOf = (service: Service): string => {
  const line = service.logs().find(({ event }) => event === 'listening');
  return String(line?.['node']);
};
