// The commands of the page "From one to many", as a reader copies them: three servers, and a session on one server that
// another server deletes.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { processesMentioning } from '../support/processes.ts';
import { freePort } from '../support/proxy-server.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const test = suite('from one to many', { timeoutMs: 120_000 });
const root = join(import.meta.dirname, '..', '..');

test('the five commands of the page work', async () => {
  const page = readFileSync(join(root, 'docs-content/enterprise/cluster.mdx'), 'utf8');
  const [, commands = ''] = /```sh .*?id="cluster-five".*?\n(.*?)```/s.exec(page) ?? [];
  assert.is(commands.trimEnd().split('\n').length, 5);
  const ports = await Promise.all(
    ['3001', '3002', '3003'].map(async (port) => [port, String(await freePort())] as const),
  );
  const script = ports.reduce((text, [given, free]) => text.replaceAll(given, free), commands);
  const base = temporaryDirectory();
  const directories = Object.fromEntries(
    ['DATA_DIR', 'DOWNLOAD_DIR', 'RECORDINGS_DIR'].map((name) => [name, join(base, name)]),
  );
  for (const path of Object.values(directories)) mkdirSync(path, { recursive: true });
  const shell = spawn('bash', ['-c', script], {
    cwd: root,
    env: { ...process.env, ...directories, METRICS_JSON_PATH: join(base, 'metrics.jsonl'), SPARES: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (output += chunk));
  // The servers keep running after the shell has exited.
  const code = await new Promise((resolve) => shell.once('exit', resolve));
  const servers = () => processesMentioning(base);
  assert.ok(servers().length >= 3);
  for (const { pid, command } of servers()) if (command.startsWith('node dist/')) process.kill(pid, 'SIGTERM');
  await until('the servers to exit', () => servers().length === 0);
  assert.is(code, 0, output.slice(-3_000));
  assert.match(output, /\d+ has ended what \d+ had made/);
});
