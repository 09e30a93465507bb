// Builds the images of the Dockerfile and runs each as a careful operator would: read-only root, an ordinary user
// without capabilities, sandbox on. Prints sizes and times; fails if a limit is exceeded. Needs root; installs buildah,
// debootstrap and bubblewrap on Debian: npm run image [-- --target=shell] [--pictures=DIRECTORY] [--built]. With
// --built, it uses the images of the previous build.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readPng } from '../../support/checks/media.ts';
import { type Reply, send } from '../../support/clients/http.ts';
import {
  buildImage,
  imageName,
  makeBases,
  mountImage,
  type MountedImage,
  mustRun,
  provideImageTools,
  type Target,
  targets,
} from '../../support/image.ts';
import { freePort } from '../../support/proxy-server.ts';
import { findMissing, lines, scriptsPage, standIns } from '../../support/scripts-page.ts';
import { until } from '../../support/until.ts';

const { values: options } = parseArgs({
  options: { target: { type: 'string' }, pictures: { type: 'string' }, built: { type: 'boolean' } },
});
/** Maximum size of the files on disk, in MB. */
const limits: Readonly<Record<Target, number>> = { shell: 820, chromium: 1_150, all: 1_500 };
/** Maximum size of all files compressed with gzip -1, in MB: about what a registry transfers. */
const compressedLimit = 450;
const users = [
  { uid: 10_001, gid: 10_001 },
  { uid: 123_456, gid: 0 },
];
/** The writable paths, where the manifests of public/deploy mount volumes too. */
const writable = [
  '/tmp',
  '/home/browserd',
  ...['data', 'downloads', 'recordings'].map((name) => `/var/lib/browserd/${name}`),
];
const startLimitMs = 60_000;
const began = performance.now();
const say = (text: string) => console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${text}`);
const failures: string[] = [];

function hold(condition: boolean, what: string): void {
  if (condition) return;
  failures.push(what);
  say(`FAILED: ${what}`);
}

async function main(): Promise<void> {
  provideImageTools();
  if (options.built !== true) {
    makeBases();
    say('built stand-ins for the base images');
  }
  const chosen = targets.filter((name) => options.target === undefined || options.target === name);
  if (chosen.length === 0) throw new Error(`--target must be one of ${targets.join(', ')}`);
  for (const target of chosen) await check(target);
  if (failures.length > 0) throw new Error(`${failures.length} checks failed:\n${failures.join('\n')}`);
}

async function check(target: Target): Promise<void> {
  using image = mountImage(options.built === true ? imageName(target) : buildImage(target));
  const megabytes = Number(mustRun('du', ['-sm', '--one-file-system', image.path]).split('\t')[0]);
  say(`${target}: ${megabytes} MB on the disk (at most ${limits[target]})`);
  hold(megabytes <= limits[target], `${target}: at most ${limits[target]} MB, not ${megabytes}`);
  if (target === 'shell') {
    const pack = 'tar --one-file-system --directory "$0" --create . | gzip -1 | wc --bytes';
    const packed = Math.round(Number(mustRun('sh', ['-c', pack, image.path])) / 1e6);
    say(`${target}: ${packed} MB compressed (at most ${compressedLimit})`);
    hold(packed <= compressedLimit, `${target}: at most ${compressedLimit} MB compressed, not ${packed}`);
  }
  for (const path of ['home/browserd', 'var/lib/browserd/data']) {
    const { gid, mode } = statSync(join(image.path, path));
    hold(gid === 0 && (mode & 0o020) !== 0, `${target}: group 0 can write to /${path}`);
  }
  for (const user of users) await run(target, image, user);
}

interface User {
  uid: number;
  gid: number;
}

/** Starts the image's program with read-only files except for the `writable` paths, as a careful operator would. */
function start({ path }: MountedImage, { uid, gid }: User, port: number, program: string[]): ChildProcess {
  const set = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: '/home/browserd',
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: '/var/lib/browserd/data',
    DOWNLOAD_DIR: '/var/lib/browserd/downloads',
    RECORDINGS_DIR: '/var/lib/browserd/recordings',
    METRICS_JSON_PATH: '/tmp/metrics.json',
  };
  const box = [
    '--ro-bind /mnt / --proc /proc --dev /dev'.split(' '),
    writable.flatMap((place) => ['--tmpfs', place]),
    '--unshare-user --unshare-pid --unshare-ipc --cap-drop ALL --die-with-parent --clearenv'.split(' '),
    Object.entries(set).flatMap(([name, value]) => ['--setenv', name, value]),
    ['--chdir', '/home/browserd'],
  ].flat();
  // Use the container's user on the host too, so that file permissions are checked for that user, not for root.
  const become = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--inh-caps=-all', '--bounding-set=-all'];
  const mounted = ['--mount', 'sh', '-c', 'mount --rbind "$0" /mnt && exec setpriv "$@"', path];
  return spawn('unshare', mounted.concat(become, 'bwrap', box, program), { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(target: Target, image: MountedImage, user: User): Promise<void> {
  const who = `${target}, uid ${user.uid} gid ${user.gid}`;
  const port = await freePort();
  const child = start(image, user, port, ['sh', '-c', 'id -u; id -g; touch /usr/x; exec tini -s -- browserd']);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  try {
    const before = performance.now();
    await until(
      `${who} to listen`,
      () => {
        if (child.exitCode !== null) throw new Error(`${who}: exited with code ${child.exitCode}:\n${output}`);
        return output.includes('"event":"listening"');
      },
      startLimitMs,
    );
    say(`${who}: listens after ${Math.round(performance.now() - before)} ms`);
    hold(output.startsWith(`${user.uid}\n${user.gid}\n`), `${who}: runs as that user: ${output.slice(0, 100)}`);
    hold(/touch: .*Read-only file system/.test(output), `${who}: the root is read-only`);
    const asking = start(image, user, port, ['browserd', '--health']);
    const healthy = await new Promise<number | null>((resolve) => asking.once('close', resolve));
    hold(healthy === 0, `${who}: the health check exits with 0, not ${healthy}`);
    await use(target, who, `http://127.0.0.1:${port}`);
    hold(!output.includes('sandbox-off'), `${who}: the sandbox is on: ${/.*sandbox-off.*/.exec(output)?.[0]}`);
    const server = await until(`the server process of ${who}`, () => serverBelow(child.pid ?? 0), 5_000);
    process.kill(server, 'SIGTERM');
    const code = await ended;
    hold(code === 0, `${who}: exit code 0 after SIGTERM, not ${code}: ${output.slice(-500)}`);
    say(`${who}: SIGTERM, exit code ${code}`);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** The tini process under a process, which a container runtime would signal. */
function serverBelow(pid: number): number | undefined {
  const rows = mustRun('ps', ['-e', '-o', 'pid=,ppid=,comm=']).trim().split('\n');
  const processes = rows.map((row) => row.trim().split(/\s+/));
  const below = new Set([String(pid)]);
  // Iterating over a Set includes elements added during the loop.
  for (const parent of below) {
    for (const [id = '', of, name] of processes) {
      if (of !== parent) continue;
      if (name === 'tini') return Number(id);
      below.add(id);
    }
  }
  return undefined;
}

/** Clears a canvas to green with WebGL and reads it back. */
const drawsWebGl = `export default async ({ page }) => page.evaluate(() => {
  const gl = document.createElement('canvas').getContext('webgl');
  if (gl === null) return 'no WebGL';
  gl.clearColor(0, 1, 0, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  const pixel = new Uint8Array(4);
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  return JSON.stringify([...pixel]);
});`;

async function use(target: Target, who: string, url: string): Promise<void> {
  const post = (path: string, body: unknown): Promise<Reply> =>
    send(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const timed = async (path: string, body: unknown) => {
    const before = performance.now();
    const reply = await post(path, body);
    say(`${who}: ${path} ${reply.status} in ${Math.round(performance.now() - before)} ms`);
    hold(reply.status === 200, `${who}: ${path} returns 200, not ${reply.status} ${reply.text.slice(0, 300)}`);
    return reply;
  };
  const picture = await timed('/screenshot', { html: scriptsPage, viewport: { width: 1_280, height: 800 } });
  if (picture.status === 200)
    hold(readPng(picture.bytes).width === 1_280, `${who}: the screenshot is a PNG of the right width`);
  if (options.pictures !== undefined) {
    mkdirSync(options.pictures, { recursive: true });
    writeFileSync(join(options.pictures, `${who.replaceAll(/\W+/g, '-')}.png`), picture.bytes);
  }
  const pdf = await timed('/pdf', { html: scriptsPage });
  hold(pdf.text.startsWith('%PDF'), `${who}: the PDF has a PDF header`);
  // Chromium with a window renders WebGL without a graphics card only with this switch.
  const launch = JSON.stringify({ headless: false, args: ['--enable-unsafe-swiftshader'] });
  for (const query of target === 'shell' ? [''] : ['', `?${new URLSearchParams({ launch })}`]) {
    const drawn = await timed(`/function${query}`, { code: drawsWebGl });
    hold(drawn.text.includes('[0,255,0,255]'), `${who}: WebGL draws: ${drawn.text.slice(0, 300)}`);
  }
  const found = await timed('/function', { code: findMissing, context: { lines, pairs: standIns } });
  if (found.status !== 200) return;
  const { missing, boxesAreDrawn, finds, widths } = JSON.parse(found.text).data;
  hold(boxesAreDrawn === true && finds === true, `${who}: a character without a glyph is drawn as a box and detected`);
  hold(Object.keys(missing).length === 0, `${who}: each character has a glyph, except ${JSON.stringify(missing)}`);
  say(`${who}: ${Object.keys(lines).length} scripts, missing glyphs: ${JSON.stringify(missing)}`);
  for (const [asked, width, instead] of widths) hold(width === instead, `${who}: ${asked} has its stand-in`);
}

await main();
