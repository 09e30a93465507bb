// Measures startup: time and CPU time to the first response, and memory of the idle server, for each form of the
// program, compared with a bare HTTP server on the same Node. The forms alternate, so that all run under the same
// conditions.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { median, privateMemory, processCpuSeconds, processPss } from './measure.ts';
import { limits, type Report } from './report.ts';

const root = join(import.meta.dirname, '..', '..');
/** Delay between the first response and the memory reading, in ms: by then, the work after startup is done. */
const idleMs = 700;

const bareServer = `import { createServer } from 'node:http';
createServer((_, response) => { response.statusCode = 204; response.end(); }).listen(Number(process.env.PORT), '127.0.0.1');
`;

interface Start {
  ms: number;
  cpuSeconds: number;
  /** Private and proportional memory of the idle process, in MiB. */
  privateMiB: number;
  pssMiB: number;
}

/** Starts a program with default settings and no spare browsers, polls `/active` until it returns 204, and stops it. */
async function start([program = '', ...args]: readonly string[], scratch: string): Promise<Start> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(program, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: scratch,
      HOST: '127.0.0.1',
      PORT: String(port),
      SPARES: '0',
    },
    stdio: 'ignore',
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const pid = child.pid ?? 0;
  try {
    while ((await statusOf(`http://127.0.0.1:${port}/active`)) !== 204) {
      if (child.exitCode !== null) throw new Error(`${program} exited with code ${child.exitCode}`);
      if (performance.now() - began > 30_000) throw new Error(`${program} did not respond within 30 s`);
      await pause(2);
    }
    const ms = performance.now() - began;
    const cpuSeconds = processCpuSeconds(pid);
    await pause(idleMs);
    return { ms, cpuSeconds, privateMiB: privateMemory(pid) / 2 ** 20, pssMiB: processPss(pid) / 2 ** 20 };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

function statusOf(url: string): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const call = request(url, { agent: false }, (response) => {
    response.resume();
    response.on('end', () => resolve(response.statusCode));
  });
  call.on('error', () => resolve(undefined));
  call.end();
  return promise;
}

/** Reports the best of several starts, since the limits apply to an idle machine, together with the medians. */
export async function measureStarts(starts: number, scratch: string, report: Report): Promise<void> {
  const bare = join(scratch, 'bare.mjs');
  writeFileSync(bare, bareServer);
  const binary = join(root, 'dist/binary/browserd');
  if (!existsSync(binary)) console.log('The single binary is not measured: npm run build:binary builds it.');
  const forms = {
    'a bare HTTP server': [process.execPath, bare],
    'the sources': [process.execPath, join(root, 'src/main.ts')],
    'the bundle': [process.execPath, join(root, 'dist/server/main.js')],
    ...(existsSync(binary) ? { 'the single binary': [binary] } : {}),
  };
  const found = new Map<string, Start[]>();
  // The first startup of each form compiles the code into a disk cache, which later ones use, as they do for a user.
  for (let round = -1; round < starts; round++) {
    for (const [name, command] of Object.entries(forms)) {
      const one = await start(command, scratch);
      if (round >= 0) found.set(name, [...(found.get(name) ?? []), one]);
    }
  }
  for (const [name, all] of found) {
    const of = (key: keyof Start) => all.map((one) => one[key]);
    const bounds = name === 'the bundle' || name === 'the single binary' ? limits.start[name] : undefined;
    const add = (what: string, server: number, limit: { atMost: number } | undefined) =>
      report.add({ name: `start of ${name}: ${what}`, server, ...(limit ? { limit } : {}), detail: { all } });
    const ms = median(of('ms')).toFixed(0);
    add(`first response from /active, ms (best of ${starts}; median ${ms})`, Math.min(...of('ms')), bounds?.ms);
    add('CPU seconds until then (median)', median(of('cpuSeconds')), bounds?.cpuSeconds);
    add('idle, private memory MiB (median)', median(of('privateMiB')), bounds?.privateMiB);
    add('idle, PSS MiB (median)', median(of('pssMiB')), undefined);
  }
}
