// Access to a Playwright client's browser by other users of the machine: only the server's own user can connect to it.
import { spawnSync } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { playwrightVersions } from '../../src/sessions/playwright/versions.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { portsOf, socketPathsOf } from '../support/listeners.ts';
import { type ServerProcess, startProcess, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('access to Playwright servers', { timeoutMs: 120_000 });
const isDeno = 'Deno' in globalThis;
const nobody = 65_534;
let service: ServerProcess;

test.before(async () => {
  service = await startProcess({ env: { TOKEN: 'secret-token', TIMEOUT: '120000', SPARES: '0' } });
});
test.after(() => stopAll(service));

/**
 * Requests `/json` from the Unix socket in a separate process. @returns the response body, or the system's error code
 */
function requestJson(socketPath: string, user: { uid?: number; gid?: number } = {}): string {
  const script = `require('node:http').get({ socketPath: ${JSON.stringify(socketPath)}, path: '/json' }, (response) =>
    response.on('data', (chunk) => process.stdout.write(chunk))).on('error', (error) => process.stdout.write(error.code))`;
  const [program = '', ...args] = isDeno ? [process.execPath, 'eval', script] : [process.execPath, '-e', script];
  return spawnSync(program, args, { encoding: 'utf8', ...user, cwd: '/' }).stdout;
}

const everyVersion = isDeno ? playwrightVersions.slice(0, 1) : playwrightVersions;
test(
  "no version opens a port, and its socket is in a directory that only the server's user can access",
  async () => {
    const pids = () => service.tree().map(({ pid }) => pid);
    const before = portsOf(pids());
    assert.ok(before.includes(service.port), "the server's ports are visible");
    const others = new Set(socketPathsOf(pids()));
    for (const version of everyVersion) {
      const browser = await connectPlaywright(service, '/chromium/playwright', {}, version);
      assert.equal(portsOf(pids()), before, version.version);
      const sockets = socketPathsOf(pids()).filter((path) => path.startsWith(service.scratchDir) && !others.has(path));
      assert.is(sockets.filter((path) => path.endsWith('/playwright')).length, 1, version.version);
      for (const path of sockets) assert.is(statSync(dirname(path)).mode & 0o077, 0, path);
      await browser.close();
    }
  },
  { timeoutMs: 200_000 },
);

test.shows('other-user', 'Playwright');
test('another user of the machine cannot connect', async () => {
  const browser = await connectPlaywright(service);
  const pids = service.tree().map(({ pid }) => pid);
  const [path = ''] = socketPathsOf(pids).filter((one) => one.endsWith('/playwright'));
  // The server's own user receives a response, with the secret path: only permissions keep other users out.
  assert.match(requestJson(path), 'wsEndpointPath');
  if (process.getuid?.() === 0) {
    // Let the other user traverse every directory above the session's directory.
    for (let above = dirname(dirname(path)); above !== tmpdir() && above !== '/'; above = dirname(above)) {
      chmodSync(above, 0o755);
    }
    assert.is(requestJson(path, { uid: nobody, gid: nobody }), 'EACCES');
  } else {
    console.log('not root: access by another user is not tested');
  }
  await browser.close();
});
