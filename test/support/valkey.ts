// Starts the machine's Redis, which speaks Valkey's protocol, on a free port.
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import process from 'node:process';
import { loopbackAddress } from './listeners.ts';
import { freePort } from './proxy-server.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { until } from './until.ts';

export interface Valkey {
  url: string;
  pid: number;
  signal(name: NodeJS.Signals): void;
  /** Restarts it, empty, at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const redisServer = '/usr/bin/redis-server';

/** @param password password that clients must send; none when omitted */
export async function startValkey(password?: string): Promise<Valkey> {
  // A port that is free there stays free while Redis is down.
  const address = loopbackAddress();
  const directory = temporaryDirectory();
  const port = await freePort(address);
  let child: ChildProcess;
  const start = async () => {
    const settings = [
      '--bind',
      address,
      '--port',
      String(port),
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      directory,
      ...(password === undefined ? [] : ['--requirepass', password]),
    ];
    child = spawn(redisServer, settings, { stdio: 'ignore' });
    await until('Redis to listen', () => answers(address, port));
  };
  await start();
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const ended = () => until('Redis to exit', hasEnded);
  // Not child.kill(): on Deno, a child that has received one signal does not receive another.
  const signal = (name: NodeJS.Signals) => {
    if (!hasEnded() && child.pid !== undefined) process.kill(child.pid, name);
  };
  return {
    url: `valkey://${password === undefined ? '' : `:${password}@`}${address}:${port}`,
    get pid() {
      return child.pid ?? 0;
    },
    signal,
    async restart() {
      signal('SIGKILL');
      await ended();
      await start();
    },
    async stop() {
      signal('SIGKILL');
      await ended();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
