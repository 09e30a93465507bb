// Who else on the machine can reach a browser: no process of one listens on a port, another user reads none of its files,
// and a page of one server finds nothing of another.
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { tmpdir } from 'node:os';
import * as assert from 'uvu/assert';
import { attackPage, fullBrowser, openAttackPage } from '../support/clients/attack-doors.ts';
import { type RawClient, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { portsOf, socketPathsOf } from '../support/listeners.ts';
import { installed } from '../support/programs.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { stagedSuite } from '../support/stage.ts';
import { until } from '../support/until.ts';

const { test, stage } = stagedSuite('attacks from the machine', {
  env: { TOKEN: 'secret-token', TIMEOUT: '120000', SPARES: '1', CONCURRENT: '10', DRAIN_TIMEOUT_MS: '1000' },
});
const limit = { timeoutMs: 120_000 };
const nobody = 65_534;
const held: (() => void)[] = [];
let own: number[];
let client: RawClient;

const pids = () => stage.service.tree().map(({ pid }) => pid);

test.before(async () => {
  const { service } = stage;
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
  'no browser listens on a port, while sockets, Playwright and audits run',
  async () => {
    const { service, site } = stage;
    assert.ok(own.includes(service.port), 'ports are seen');
    const browsers = () => service.tree().filter(({ command }) => command.includes('--remote-debugging-pipe'));
    assert.ok(browsers().length >= 2, 'browsers run');
    let audited = false;
    const audit = service.post('/performance', { url: `${site.url}/small` }).finally(() => (audited = true));
    const seen = new Set<number>();
    await until(
      'the audit',
      () => {
        for (const port of portsOf(pids())) seen.add(port);
        return audited;
      },
      90_000,
    );
    assert.is((await audit).status, 200);
    // The egress of the server itself may listen for its browsers; no other process does.
    for (const { pid, command } of service.tree()) {
      if (pid !== service.pid) assert.equal(portsOf([pid]), [], command.slice(0, 200));
    }
    const ofServer = new Set(portsOf([service.pid]));
    for (const port of seen) assert.ok(ofServer.has(port) || own.includes(port), `port ${port}`);
    for (const { command } of browsers()) assert.not.match(command, /--remote-debugging-port/);
  },
  limit,
);

const asRoot = process.getuid?.() === 0 ? undefined : 'needs root, to try as another user';

test.shows('other-user', 'machine');
test.unless(asRoot)('another user reads no file of a session, and speaks to none of its sockets', async () => {
  const { service } = stage;
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
  // Directories above those that the server makes are the operator's: let the other user pass them.
  for (let above = service.scratchDir; above !== tmpdir() && above !== '/'; above = dirname(above))
    chmodSync(above, 0o755);
  const run = (program: string, ...args: string[]) =>
    spawnSync('setpriv', [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', program, ...args], {
      encoding: 'utf8',
      cwd: '/',
    });
  // The tools work for that user.
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
  for (const path of sockets) {
    const script = `require('node:net').connect(${JSON.stringify(path)}).on('connect', () => console.log('open')).on('error', ({ code }) => console.log(code))`;
    assert.not.match(run(process.execPath, '-e', script).stdout, 'open', path);
  }
});

test('a page of another server finds nothing to speak to', async () => {
  const { service } = stage;
  let other: Service | undefined;
  try {
    other = await startService({ env: { TIMEOUT: '120000', SPARES: '0' } });
    const ports = portsOf(pids());
    assert.ok(ports.includes(service.port));
    const attacker = await rawClient(socketUrl(other, '/'));
    const { sessionId } = await openAttackPage(attacker);
    const page = attackPage((method, params) => attacker.send(method, params, sessionId));
    const [entry] = await sessionsOf(service);
    for (const port of ports) {
      for (const path of ['/json/list', '/json/version', '/sessions', `/devtools/browser/${entry?.id}`]) {
        const address = `127.0.0.1:${port}${path}`;
        const read = `fetch('http://${address}').then((r) => r.text()).catch(() => 'failed')`;
        const opened = `new Promise((done) => { const s = new WebSocket('ws://${address}'); s.onopen = () => done('open'); s.onerror = () => done('failed') })`;
        assert.not.match(String(await page.evaluate(read)), /webSocketDebuggerUrl|browserWSEndpoint|targetId/, address);
        assert.is(await page.evaluate(opened), 'failed', address);
      }
    }
    attacker.socket.close();
    await attacker.closed;
  } finally {
    await stopAll(other);
  }
});
