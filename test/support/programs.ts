// Finds system programs that tests need. In CI, on Debian or Ubuntu, it installs missing programs. On other machines,
// it does not install anything; a test that needs a missing program is skipped, with the command that installs the
// program.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** Debian packages, each with a file that it installs. */
const packages = {
  chromium: '/usr/lib/chromium/chromium',
  'chromium-headless-shell': '/usr/lib/chromium/chromium-headless-shell',
  curl: '/usr/bin/curl',
  debootstrap: '/usr/sbin/debootstrap',
  'firefox-esr': '/usr/lib/firefox-esr/firefox-esr',
  'fonts-liberation': '/usr/share/fonts/truetype/liberation',
  'fonts-noto-color-emoji': '/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf',
  'php-cli': '/usr/bin/php',
  // The path of the extension depends on the PHP version, so look for the package manager's record.
  'php-curl': '/var/lib/dpkg/info/php-curl.list',
  'python3-bs4': '/usr/lib/python3/dist-packages/bs4',
  'python3-requests': '/usr/lib/python3/dist-packages/requests',
  'golang-go': '/usr/bin/go',
  haproxy: '/usr/sbin/haproxy',
  nginx: '/usr/sbin/nginx',
  'redis-server': '/usr/bin/redis-server',
  libatomic1: '/usr/lib/x86_64-linux-gnu/libatomic.so.1',
  xvfb: '/usr/bin/Xvfb',
};

const usualPlaces = {
  shell: [packages['chromium-headless-shell']],
  chromium: [packages.chromium, '/usr/lib/chromium-browser/chromium-browser'],
  chrome: ['/opt/google/chrome/chrome'],
  edge: ['/opt/microsoft/msedge/msedge'],
  firefox: [packages['firefox-esr'], '/usr/lib/firefox/firefox'],
  webkit: [],
};

/** Path of this browser, from its environment variable or at a default path; undefined when it is not installed. */
export function placeOf(name: keyof typeof usualPlaces): string | undefined {
  const set = process.env[`${name.toUpperCase()}_PATH`];
  const places: readonly string[] = set === undefined ? usualPlaces[name] : [set];
  return places.find((path) => existsSync(path));
}

/** Whether this browser is installed. */
export function installed(name: keyof typeof usualPlaces): boolean {
  return placeOf(name) !== undefined;
}

/** What a test may need: how to check for it, and the package that installs it. */
const needs = {
  'a full Chromium': { there: () => installed('chromium') || installed('chrome'), from: 'chromium' },
  'a display': { there: () => Boolean(process.env['DISPLAY']) || existsSync(packages.xvfb), from: 'xvfb' },
  Firefox: { there: () => installed('firefox'), from: 'firefox-esr' },
  Go: { there: () => existsSync(packages['golang-go']), from: 'golang-go' },
  nginx: { there: () => existsSync(packages.nginx), from: 'nginx' },
  haproxy: { there: () => existsSync(packages.haproxy), from: 'haproxy' },
  Redis: { there: () => existsSync(packages['redis-server']), from: 'redis-server' },
  curl: { there: () => existsSync(packages.curl), from: 'curl' },
  Python: {
    there: () => existsSync(packages['python3-requests']) && existsSync(packages['python3-bs4']),
    from: 'python3-requests python3-bs4',
  },
  PHP: { there: () => existsSync(packages['php-cli']) && existsSync(packages['php-curl']), from: 'php-cli php-curl' },
} as const;

/**
 * Returns why a test cannot run here, with the command that installs what is missing; undefined when it can run, and
 * when tests are only listed (test/support/list-tests.ts).
 */
export function missing(...wanted: (keyof typeof needs)[]): string | undefined {
  const lacking = wanted.filter((name) => !needs[name].there());
  if (lacking.length === 0 || process.env['TEST_LIST'] === '1') return undefined;
  return `needs ${lacking.join(' and ')}: apt-get install ${lacking.map((name) => needs[name].from).join(' ')}`;
}

function apt(args: string[]): void {
  const run = spawnSync('apt-get', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 600_000,
  });
  if (run.status === 0) return;
  console.error(run.stdout, run.stderr);
  throw new Error(`apt-get ${args.join(' ')} failed: ${run.error?.message ?? `exit code ${run.status}`}`);
}

/** Installs missing packages when CI=true, as root, on Debian or Ubuntu. */
export function providePrograms(): void {
  const lacking = Object.entries(packages).flatMap(([name, file]) => (existsSync(file) ? [] : [name]));
  if (process.env['CI'] !== 'true' || lacking.length === 0 || process.getuid?.() !== 0) return;
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (!/^ID=(debian|ubuntu)$/m.test(release)) return;
  console.log(`installing ${lacking.join(', ')}`);
  apt(['update']);
  apt(['install', '-y', '--no-install-recommends', ...lacking]);
}
