// Browser starts for Playwright sockets that exceed their time limit, launch.timeout.
// @runs binary
import * as assert from 'uvu/assert';
import { playwrightVersions } from '../../src/sessions/playwright/versions.ts';
import { handshake, noSessions } from '../support/clients/clients.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service } = fixtureSuite('starts for Playwright sockets', { env: { SPARES: '0' } });

function browsers(): string[] {
  const commands = service.leftovers().processes.map(({ command }) => command);
  return commands.filter((command) => command.includes('--remote-debugging-pipe'));
}

for (const { version } of [playwrightVersions.at(0), playwrightVersions.at(-1)].filter((one) => one !== undefined)) {
  test(`a launch that times out at any moment gets its response after the browser has exited and leaves nothing behind: ${version}`, async () => {
    const headers = { 'User-Agent': `Playwright/${version}` };
    for (const timeout of [1, 20, 40, 60, 100]) {
      const answer = await handshake(service, '/chromium/playwright', { launch: JSON.stringify({ timeout }) }, headers);
      if (answer.status === 101) {
        // A fast machine has the browser ready in time.
        await noSessions(service);
        continue;
      }
      assert.equal(browsers(), []);
      assert.match(answer.text, `it was not ready within ${timeout} ms`);
    }
    await until('all files to be removed', () => service.leftovers().files.length === 0, 30_000);
  });
}
