// Access to a browser by other users of the machine: none of its processes listens on a port, another user cannot read
// any of its files, and a page on one server cannot reach another server.
// @tier ci
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { fullBrowser, openAttackPage } from '../support/clients/attack-entry-points.ts';
import { type RawClient, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { openPage, valueOf } from '../support/clients/targets.ts';
import { startHttpProxy, startSocksProxy } from '../support/clients/proxies.ts';
import { portsOf, socketPathsOf } from '../support/listeners.ts';
import { installed } from '../support/programs.ts';
import { startService, stopAll } from '../support/service.ts';
import { processSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = processSuite('attacks from the machine', {
  env: { TOKEN: 'secret-token', TIMEOUT: '600000', SPARES: '1', CONCURRENT: '10', DRAIN_TIMEOUT_MS: '1000' },
});
const limit = { timeoutMs: 120_000 };
const nobody = 65_534;
const held: (() => void)[] = [];
let own: number[];
let client: RawClient;

const pids = () => fixture.service.tree().map(({ pid }) => pid);

test.before(async () => {
  const { service } = fixture;
  own = portsOf([service.pid]);
  client = await rawClient(socketUrl(service, '/'));
  held.push(() => client.socket.close());
  if (installed('chromium')) {
    const full = await rawClient(socketUrl(service, '/', fullBrowser));
    held.push(() => full.socket.close());
  }
  const browser = await connectPlaywright(service);
  held.push(() => void browser.close());
});
test.after(() => {
  for (const release of held) release();
});

test(
  'no browser listens on a port while sockets, Playwright and audits run',
  async () => {
    const { service, site } = fixture;
    assert.ok(own.includes(service.port), "the server's ports are visible");
    const browsers = () => service.tree().filter(({ command }) => command.includes('--remote-debugging-pipe'));
    assert.ok(browsers().length >= 2, 'browsers are running');
    const config = { settings: { onlyAudits: ['viewport'] } };
    const seen = new Set<number>();
    const watching = setInterval(() => portsOf(pids()).forEach((port) => seen.add(port)), 200);
    const audit = service.post('/performance', { url: `${site.url}/small`, config });
    assert.is((await audit.finally(() => clearInterval(watching))).status, 200);
    assert.ok(seen.has(service.port), 'the ports were watched during the audit');
    // The server's own egress may listen for its browsers; no other process does.
    for (const { pid, command } of service.tree()) {
      if (pid !== service.pid) assert.equal(portsOf([pid]), [], command.slice(0, 200));
    }
    const ofServer = new Set(portsOf([service.pid]));
    for (const port of seen) assert.ok(ofServer.has(port) || own.includes(port), `port ${port}`);
    for (const { command } of browsers()) assert.not.match(command, /--remote-debugging-port/);
  },
  limit,
);

const asRoot = process.getuid?.() === 0 ? undefined : 'needs root to test as another user';

test.shows('other-user', 'machine');
test.unless(asRoot)("another user cannot read a session's files or connect to its sockets", async () => {
  const { service } = fixture;
  const { result } = await client.send('Browserless.uploadFile', {
    name: 'secret.txt',
    data: Buffer.from('a secret').toString('base64'),
  });
  const uploaded = String(result?.['path']);
  const [entry] = await sessionsOf(service);
  // A virtual browser has no profile.
  const inProfile = entry?.userDataDir ? [join(entry.userDataDir, 'probe')] : [];
  for (const path of inProfile) writeFileSync(path, 'a secret');
  const sockets = socketPathsOf(pids()).filter((path) => path.startsWith('/'));
  // Directories above those that the server creates belong to the operator: let the other user traverse them.
  for (let above = service.scratchDir; above !== tmpdir() && above !== '/'; above = dirname(above))
    chmodSync(above, 0o755);
  const run = (program: string, ...args: string[]) =>
    spawnSync('setpriv', [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', program, ...args], {
      encoding: 'utf8',
      cwd: '/',
    });
  // The tools work for this user.
  assert.is(run('cat', '/proc/self/comm').stdout, 'cat\n');
  assert.is(run('ls', service.scratchDir).status, 0);
  for (const path of [uploaded, ...inProfile]) {
    const { stdout, stderr } = run('cat', path);
    assert.is(stdout, '');
    assert.match(stderr, 'Permission denied', path);
  }
  const directories = readdirSync(service.scratchDir, { withFileTypes: true }).filter((each) => each.isDirectory());
  assert.ok(directories.length > 0);
  for (const { name } of directories) {
    assert.match(run('ls', join(service.scratchDir, name)).stderr, 'Permission denied', name);
  }
  const script = `for (const path of ${JSON.stringify(sockets)})
    require('node:net').connect(path).on('connect', () => console.log('open ' + path)).on('error', () => {})`;
  assert.is(run(process.execPath, '-e', script).stdout, '');
});

/**
 * A script that sends each of the openings to ports and prints the responses. Without one, the other side must close the
 * connection.
 */
const speak = (openings: Buffer[], ways: string[]) => `
const openings = ${JSON.stringify(openings.map((bytes) => bytes.toString('base64')))};
for (const bytes of openings) for (const way of ${JSON.stringify(ways)}) {
  const [host, localAddress, port] = way.split(' ');
  const socket = require('node:net').connect({ host, port, ...(localAddress ? { localAddress } : {}) });
  socket.setTimeout(60000, () => { console.log(way + ': kept open'); socket.destroy(); });
  socket.on('connect', () => socket.write(Buffer.from(bytes, 'base64')));
  socket.on('data', (data) => { console.log(way + ': ' + data.toString('latin1')); socket.destroy(); });
  socket.on('error', ({ code }) => code === 'ECONNRESET' || code === 'EPIPE' || console.log(way + ': ' + code));
}`;

test.shows('other-user', 'machine');
test(
  'ports that forward to a proxy or the playground do not respond to other programs and users',
  async () => {
    const { service, site } = fixture;
    const before = new Set(portsOf([service.pid]));
    const [http, socks] = [await startHttpProxy(), await startSocksProxy()];
    const clients: RawClient[] = [];
    try {
      for (const externalProxyServer of [http.url(), socks.url()]) {
        const proxied = await rawClient(socketUrl(service, '/', { externalProxyServer }));
        clients.push(proxied);
        const page = await openAttackPage(proxied);
        await proxied.send('Page.navigate', { url: `${site.url}/small` }, page.sessionId);
        await until('the page', async () => (await page.evaluate('document.title')) === 'Small');
      }
      assert.ok(http.seen.length > 0 && socks.seen.length > 0, 'its own browsers get through');
      const { sessionId } = await openPage(client, 'http://playground.localhost/');
      assert.ok(
        await valueOf(client, 'document.body.childElementCount', sessionId),
        'the playground responds to a page',
      );
      const seen = [http.seen.length, socks.seen.length];
      const ports = portsOf([service.pid]).filter((port) => !before.has(port));
      assert.is(ports.length, 3, 'two forwarders and the playground listen');
      const ways = ports.flatMap((port) => [
        `127.0.0.1  ${port}`,
        `127.0.0.1 127.0.0.2 ${port}`,
        `::ffff:127.0.0.1  ${port}`,
      ]);
      const target = `127.0.0.1:${site.port}`;
      const request = Buffer.from(`GET http://${target}/small HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
      const openings = [
        Buffer.of(5, 1, 0),
        request,
        Buffer.from(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`),
      ];
      site.clear();
      const users = asRoot ? [[]] : [[], ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']];
      const run = async (user: string[], bytes: Buffer[], addresses: string[]) => {
        const [program = '', ...args] = [...user, process.execPath, '-e', speak(bytes, addresses)];
        return (await promisify(execFile)(program, args, { cwd: '/' })).stdout;
      };
      for (const user of users) {
        // The script works: the service itself responds to it.
        assert.match(await run(user, [request], [`127.0.0.1  ${service.port}`]), 'HTTP/1.1');
        assert.is(await run(user, openings, ways), '', user.join(' '));
      }
      assert.equal([http.seen.length, socks.seen.length], seen);
      assert.is(site.requests.length, 0);
    } finally {
      for (const { socket } of clients) socket.close();
      await Promise.all(clients.map(({ closed }) => closed));
      await stopAll(http, socks);
    }
  },
  limit,
);

test(
  "a page on a different server cannot reach this server's ports",
  async () => {
    const { service } = fixture;
    await using other = await startService({ env: { TIMEOUT: '120000' } });
    const ports = portsOf(pids());
    assert.ok(ports.includes(service.port));
    const attacker = await rawClient(socketUrl(other, '/'));
    const page = await openAttackPage(attacker);
    const [entry] = await sessionsOf(service);
    const paths = ['/json/list', '/json/version', '/sessions', `/devtools/browser/${entry?.id}`];
    const addresses = ports.flatMap((port) => paths.map((path) => `127.0.0.1:${port}${path}`));
    const tried = await page.evaluate(`Promise.all(${JSON.stringify(addresses)}.map(async (address) => {
      const text = await fetch('http://' + address).then((answer) => answer.text()).catch(() => 'failed');
      const state = await new Promise((done) => {
        const socket = new WebSocket('ws://' + address);
        socket.onopen = () => done('open');
        socket.onerror = () => done('failed');
      });
      return state + ' ' + address + ' ' + text;
    }))`);
    assert.ok(Array.isArray(tried) && tried.length === addresses.length);
    for (const told of tried) {
      assert.match(told, /^failed /);
      assert.not.match(told, /webSocketDebuggerUrl|browserWSEndpoint|targetId/);
    }
    attacker.socket.close();
    await attacker.closed;
  },
  limit,
);
