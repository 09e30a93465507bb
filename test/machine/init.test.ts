// The server as process 1 of a container without an init: it reaps the zombies that browsers leave, still stops cleanly
// on signals, and the container returns its exit code.
// @tier ci
import * as assert from 'uvu/assert';
import { connect } from '../support/clients/clients.ts';
import { succeeded } from '../support/checks/expect.ts';
import { cannotUnshare } from '../support/namespaces.ts';
import { zombiesOf } from '../support/processes.ts';
import { installed } from '../support/programs.ts';
import { runMain, type ServerProcess, startProcess } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('process 1', { timeoutMs: 120_000 });
const namespace = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const noNamespace = cannotUnshare(...namespace);
const inDeno = 'Deno' in globalThis;
const alone = inDeno ? () => {} : test.unless(noNamespace);
const zombies = (service: ServerProcess) => service.tree().flatMap(({ pid }) => zombiesOf(pid));
const startAlone = (env: Record<string, string> = {}) =>
  startProcess({ env: { SPARES: '0', HEALTH: 'false', ...env }, under: ['unshare', ...namespace], underStays: true });

alone('no zombies remain after sessions with every browser', async () => {
  await using service = await startAlone();
  const modes = installed('chromium') ? ['shell', true] : ['shell'];
  for (let round = 0; round < 4; round++) {
    const headless = modes[round % modes.length] ?? 'shell';
    const launch = JSON.stringify({ headless, args: ['--lang=fr'] });
    const browser = await connect(service, '/chromium', { launch });
    const page = await browser.newPage();
    await page.setContent('<h1>a session</h1>');
    await (round < 2 ? browser.close() : browser.disconnect());
    succeeded(await service.post('/content', { html: '<p>x</p>' }, { query: { launch } }));
  }
  await until('the browsers to exit', () => !service.tree().some(({ command }) => command.includes('--lang=fr')));
  await until(
    () => `zombies to be reaped: ${zombies(service)}`,
    () => zombies(service).length === 0,
  );
});

alone('signals are forwarded: running requests finish, and the exit code is that of the server', async () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) {
    const service = await startAlone();
    try {
      if (signal === 'SIGTERM') {
        const call = service.post('/content', { html: '<h1>served</h1>', waitForTimeout: 1_500 });
        await until('the request to run', async () => {
          const { pressure } = (await service.get('/pressure')).json<{ pressure: { running: number } }>();
          return pressure.running === 1;
        });
        const code = service.end(signal);
        await until('the drain to start', async () => (await service.get('/active')).status === 503);
        assert.match(succeeded(await call).text, /served/);
        assert.is(await code, 0);
      } else {
        assert.is(await service.end(signal), 0, signal);
      }
      assert.is(service.logs().filter(({ event }) => event === 'stopping').length, 1);
    } finally {
      await service.stop().catch((error: unknown) => {
        // It has already exited, as the test expects; anything else is an error.
        if (!/had ended before with exit code 0(?!.*left)/.test(String(error))) throw error;
      });
    }
  }
});

alone('the container exits with the exit code of a server that fails to start', async () => {
  const { code, output } = await runMain({ env: { CONCURRENT: 'many' }, under: ['unshare', ...namespace] });
  assert.is(code, 78);
  assert.match(output, /CONCURRENT must be/);
});

if (inDeno) {
  // Deno cannot replace its process with another program.
  test.unless(noNamespace)('the server reports that an init is missing', async () => {
    await using service = await startAlone();
    assert.match(service.output(), /process 1 .*docker run --init/);
  });
}

test('under an init, the server does not add its own', async () => {
  await using service = await startProcess({ env: { SPARES: '0' } });
  assert.not.ok(service.tree().some(({ command }) => command.includes('set -m')));
  assert.not.match(service.output(), /process 1/);
});
