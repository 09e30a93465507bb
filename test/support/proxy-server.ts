// Runs NGINX or HAProxy with a file from public/deploy, in which only the addresses are replaced with those of servers
// on this machine.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send } from './clients/http.ts';
import { until } from './until.ts';

export type ProxyName = 'nginx' | 'haproxy';
/** Their paths on Debian; /usr/sbin is not in every user's PATH. */
export const proxyPrograms: Readonly<Record<ProxyName, string>> = {
  nginx: '/usr/sbin/nginx',
  haproxy: '/usr/sbin/haproxy',
};

const deploy = join(import.meta.dirname, '..', '..', 'public/deploy');

/** A server behind the proxy. */
interface Listening {
  url: string;
}

export interface RunningProxy extends AsyncDisposable {
  url: string;
}

/** A port that is free now. If another process takes it in the meantime, the proxy visibly fails to start. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, address, resolve);
  await promise;
  const { port } = server.address() as AddressInfo; // A listening TCP server's address is never text or null.
  server.close();
  return port;
}

/**
 * Returns the text of a file of public/deploy, with the addresses of these servers.
 * @throws when the file lists a different number of servers
 */
function withAddresses(file: string, listen: number, servers: readonly Listening[]): string {
  const text = readFileSync(join(deploy, file), 'utf8');
  const named = new Set(text.match(/\bbrowserd(?:-\d)?:3000\b/g));
  if (named.size !== servers.length)
    throw new Error(`${file} lists ${[...named].join(', ')}, not ${servers.length} servers`);
  let replaced = text
    .replace('listen 80;', `listen 127.0.0.1:${listen};`)
    .replace('bind :80', `bind 127.0.0.1:${listen}`);
  for (const [index, name] of [...named].toSorted().entries()) {
    replaced = replaced.replaceAll(name, new URL(servers[index]?.url ?? '').host);
  }
  if (replaced.includes(':3000') || !replaced.includes(`127.0.0.1:${listen}`))
    throw new Error(`${file}: the addresses were not replaced`);
  return replaced;
}

/** NGINX's main configuration, which includes one for conf.d; NGINX writes only to the directory. */
const nginxMain = (directory: string) => `
pid ${directory}/nginx.pid; error_log ${directory}/error.log; worker_processes 1; daemon off;
events { worker_connections 512; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
  include ${directory}/site.conf;
}`;

/** Starts the proxy, after it has checked the file. @throws with its output when the check fails or warns */
export async function startProxy(name: ProxyName, file: string, servers: readonly Listening[]): Promise<RunningProxy> {
  const directory = mkdtempSync(join(tmpdir(), `browserd-${name}-`));
  const listen = await freePort();
  writeFileSync(join(directory, 'site.conf'), withAddresses(file, listen, servers));
  writeFileSync(join(directory, 'nginx.conf'), nginxMain(directory));
  const program = proxyPrograms[name];
  const config = join(directory, name === 'nginx' ? 'nginx.conf' : 'site.conf');
  const args = name === 'nginx' ? ['-c', config, '-p', directory] : ['-f', config];
  const checked = spawnSync(program, [...args, name === 'nginx' ? '-t' : '-c'], { encoding: 'utf8' });
  const said = `${checked.stdout}${checked.stderr}`;
  if (checked.status !== 0 || /warn/i.test(said)) throw new Error(`${file}: ${said}`);
  const child = spawn(program, name === 'haproxy' ? ['-db', ...args] : args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = `http://127.0.0.1:${listen}`;
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await until(
      () => `${name} to forward requests: ${output}`,
      () => {
        if (child.exitCode !== null) throw new Error(`${name} exited: ${output}`);
        return send(`${url}/ready`).then(
          ({ status }) => status < 300,
          () => false,
        );
      },
    );
  } catch (error) {
    await end();
    throw error;
  }
  return { url, [Symbol.asyncDispose]: end };
}
