// How the server starts and stops: settings, signals, what a killed server leaves to the next.
import process from 'node:process';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/expect.ts';
import { processTree } from '../support/processes.ts';
import { runMain, type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('start and stop', { timeoutMs: 60_000 });
let site: Site;

test.before(async () => {
  site = await startSite();
});
test.after(() => stopAll(site));

const browserOf = (of: Service) =>
  processTree(of.pid).find(({ command }) => command.includes('--user-data-dir') && !command.includes('--type='));

test('SIGTERM: readiness fails at once, new calls get 503 with Retry-After, running ones finish, exit 0', async () => {
  const stopping = await startService();
  site.clear();
  const running = stopping.post('/content', { url: `${site.url}/slow?ms=1500` });
  await site.waitForRequest('/slow');
  const ended = stopping.end('SIGTERM');
  await until('readiness to fail', async () => (await stopping.get('/active')).status === 503);
  const refusal = await stopping.post('/content', { html: 'x' });
  refused(refusal, 503, 'shutting down');
  assert.ok(Number(refusal.headers['retry-after']) > 0);
  succeeded(await running);
  assert.is(await ended, 0);
  assert.equal(stopping.leftovers(), { processes: [], files: [] });
});

test('a second signal does not wait for running calls', async () => {
  const stopping = await startService();
  site.clear();
  const running = stopping.post('/content', { url: `${site.url}/hang` }).then(
    (reply) => reply.status,
    () => 'cut',
  );
  await site.waitForRequest('/hang');
  const ended = stopping.end('SIGTERM');
  await until('the first signal to be seen', () => stopping.logs().some(({ event }) => event === 'stopping'));
  process.kill(stopping.pid, 'SIGTERM');
  assert.is(await ended, 0);
  assert.ok([503, 'cut'].includes(await running));
  assert.equal(stopping.leftovers(), { processes: [], files: [] });
});

test('what a killed server leaves is swept by the next one', async () => {
  const doomed = await startService();
  succeeded(await doomed.post('/content', { html: 'x' }));
  await doomed.end('SIGKILL');
  await until('its browsers to notice', () => doomed.leftovers().processes.length === 0);
  assert.ok(doomed.leftovers().files.length > 0, 'a killed server leaves directories');
  const heir = await startService({ env: { DATA_DIR: doomed.dataDir, SCRATCH_DIR: doomed.scratchDir } });
  await until('the sweep', () => heir.logs().some(({ event }) => event === 'scratch.swept'));
  await heir.stop();
  assert.equal(doomed.leftovers().files, []);
});

test('directories of a living server are not swept', async () => {
  const living = await startService();
  const second = await startService({ env: { DATA_DIR: living.dataDir, SCRATCH_DIR: living.scratchDir } });
  await until('the second server to be warm', () => browserOf(second) !== undefined);
  succeeded(await living.post('/content', { html: 'x' }));
  await second.stop().catch(() => undefined);
  succeeded(await living.post('/content', { html: 'x' }));
  await living.stop();
});

test('wrong settings are reported all at once, and the server does not start', async () => {
  const { code, output } = await runMain({ env: { PORT: 'many', TIMEOUT: 'soon', DATA_DIR: '/no/such/directory' } });
  assert.is(code, 1);
  for (const name of ['PORT', 'TIMEOUT']) assert.match(output, new RegExp(`${name} must be`));
  const missing = await runMain({ env: { DATA_DIR: '/no/such/directory' } });
  assert.is(missing.code, 1);
  assert.match(missing.output, /DATA_DIR names \/no\/such\/directory/);
});

test('--help and --version print and end', async () => {
  const help = await runMain({ args: ['--help'] });
  assert.is(help.code, 0);
  for (const name of ['PORT', 'TOKEN', 'BLOCK_PRIVATE_NETWORK', 'CHROMIUM_PATH'])
    assert.match(help.output, new RegExp(name));
  assert.match((await runMain({ args: ['--version'] })).output, /^browserd \d+\.\d+\.\d+/);
});

test('a port that is taken ends the start with a sentence', async () => {
  const { code, output } = await runMain({ env: { PORT: String(site.port), HOST: '127.0.0.1' } });
  assert.is(code, 1);
  assert.match(output, /EADDRINUSE/);
});
