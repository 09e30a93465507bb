// A server started by a package manager exits when the package manager does, no matter how: its port is free again, and
// a signal that arrives twice, because the package manager forwards it, does not abort running requests.
// @tier ci
import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { send } from '../support/clients/http.ts';
import { endProcesses, processesMentioning, processTree } from '../support/processes.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const test = suite('package managers', { timeoutMs: 180_000 });
const root = join(import.meta.dirname, '..', '..');
const tenSeconds = 10_000;
let site: Site;
test.before(async () => {
  site = await startSite();
});
test.after(() => site.close());

interface Started {
  manager: ChildProcess & { pid: number };
  port: number;
  output(): string;
}

/** Starts a server with this command in a new process group, as a terminal would. */
async function withCommand(command: string[], use: (started: Started) => Promise<void>): Promise<void> {
  const directory = temporaryDirectory();
  const [program = '', ...args] = command;
  const { PATH, HOME, CHROMIUM_PATH, SHELL_PATH } = process.env;
  const given = Object.entries({ PATH, HOME, CHROMIUM_PATH, SHELL_PATH }).filter(([, value]) => value !== undefined);
  const manager = spawn(program, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...Object.fromEntries(given),
      HOST: '127.0.0.1',
      PORT: '0',
      SPARES: '0',
      DATA_DIR: directory,
      SCRATCH_DIR: directory,
      DOWNLOAD_DIR: directory,
    },
  });
  let output = '';
  for (const stream of [manager.stdout, manager.stderr]) stream.on('data', (chunk) => (output += chunk));
  try {
    const { pid } = manager;
    assert.ok(pid !== undefined);
    const port = await until(
      'the server to listen',
      () => Number(/"event":"listening".*?"port":(\d+)/.exec(output)?.[1] ?? 0),
      60_000,
    ).catch((error: unknown) => {
      throw new Error(`${error}\n${output}`);
    });
    await use({ manager: Object.assign(manager, { pid }), port, output: () => output });
    await until('its processes to exit', () => processesMentioning(directory).length === 0, tenSeconds);
  } finally {
    endProcesses([...processTree(manager.pid ?? 0), ...processesMentioning(directory)]);
  }
}

/** Whether something listens on the port. */
function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  });
}

const freePort = (port: number) => until(`port ${port} to be free`, async () => !(await isTaken(port)), tenSeconds);

/** All except `npm exec` run setup.js before the server. */
const commands = {
  'npm start': ['npm', 'start'],
  'npm run start': ['npm', 'run', 'start', '--ignore-scripts'],
  'npm exec': ['npm', 'exec', '-c', 'node dist/server/main.js'],
  'node --run': [join(root, 'node_modules/.bin/node'), '--run', 'start'],
};

test('the server stops and frees its port, no matter which signal ends the package manager', async () => {
  const cases = [
    ['SIGTERM', 'npm start'],
    ['SIGINT', 'npm run start'],
    ['SIGHUP', 'node --run'],
    ['SIGKILL', 'npm run start'],
    ['SIGKILL', 'npm exec'],
  ] as const;
  await Promise.all(
    cases.map(([signal, name]) =>
      withCommand(commands[name], async ({ manager, port, output }) => {
        process.kill(manager.pid, signal);
        await freePort(port).catch((error: unknown) => {
          throw new Error(`${signal} to ${name}: ${error}`);
        });
        await until(`${name}: the server to log that it has stopped`, () => output().includes('"event":"stopped"'));
      }),
    ),
  );
});

test('SIGINT to the process group, as from Ctrl-C, lets a running request finish', () =>
  withCommand(commands['npm run start'], async ({ manager, port, output }) => {
    const running = send(`http://127.0.0.1:${port}/content`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${site.url}/slow?ms=2500` }),
    });
    await site.waitForRequest('/slow');
    process.kill(-manager.pid, 'SIGINT');
    const reply = await running;
    assert.is(reply.status, 200, reply.text);
    await freePort(port);
    assert.is(output().match(/"event":"stopping"/g)?.length, 1);
  }));

test('a second Ctrl-C does not wait for running requests', () =>
  withCommand(commands['npm run start'], async ({ manager, port, output }) => {
    const running = send(`http://127.0.0.1:${port}/content`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${site.url}/hang` }),
    });
    await site.waitForRequest('/hang');
    process.kill(-manager.pid, 'SIGINT');
    await until('the server to start stopping', () => output().includes('"event":"stopping"'));
    // npm has forwarded its signal by now or is about to; either way, one more stop request follows.
    await until('the second signal to be logged', () => {
      process.kill(-manager.pid, 'SIGINT');
      return (output().match(/"event":"stopping"/g)?.length ?? 0) > 1;
    });
    assert.is((await running).status, 503);
    await freePort(port);
  }));
