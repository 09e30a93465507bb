// Access to a Playwright client's browser by other users of the machine: only the server's own user can connect to it.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { socketPathsOf } from '../support/listeners.ts';
import { startService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('access to Playwright servers', { timeoutMs: 120_000 });
const isDeno = 'Deno' in globalThis;
const nobody = 65_534;

/**
 * Requests `/json` from the Unix socket in a separate process. @returns the response body, or the system's error code
 */
function requestJson(socketPath: string, user: { uid?: number; gid?: number } = {}): string {
  const script = `require('node:http').get({ socketPath: ${JSON.stringify(socketPath)}, path: '/json' }, (response) =>
    response.on('data', (chunk) => process.stdout.write(chunk))).on('error', (error) => process.stdout.write(error.code))`;
  const [program = '', ...args] = isDeno ? [process.execPath, 'eval', script] : [process.execPath, '-e', script];
  return spawnSync(program, args, { encoding: 'utf8', ...user, cwd: '/' }).stdout;
}

test.shows('other-user', 'Playwright');
test('another user of the machine cannot connect', async () => {
  await using service = await startService({ env: { TOKEN: 'secret-token', SPARES: '0' } });
  await using _ = await connectPlaywright(service);
  const [path = ''] = socketPathsOf(service.tree().map(({ pid }) => pid)).filter((one) => one.endsWith('/playwright'));
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
});
