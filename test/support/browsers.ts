// Which browsers this machine has. In CI, on Debian or Ubuntu, the missing ones are installed first; on a person's
// machine nothing is installed, and the server then runs its embedded headless shell.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

const debianShell = '/usr/lib/chromium/chromium-headless-shell';
const debianFirefox = '/usr/lib/firefox-esr/firefox-esr';
const packages = [
  'chromium',
  'chromium-headless-shell',
  'curl',
  'firefox-esr',
  'xvfb',
  'fonts-liberation',
  'fonts-noto-color-emoji',
];
/** What those packages bring; when all are there, nothing has to be installed. */
const provided = [debianShell, '/usr/lib/chromium/chromium', debianFirefox, '/usr/bin/curl', '/usr/bin/Xvfb'];
const usualPlaces = {
  shell: [debianShell],
  chromium: ['/usr/lib/chromium/chromium', '/usr/lib/chromium-browser/chromium-browser'],
  chrome: ['/opt/google/chrome/chrome'],
  edge: ['/opt/microsoft/msedge/msedge'],
  firefox: [debianFirefox, '/usr/lib/firefox/firefox'],
  webkit: [],
};

/** Whether a browser of this name is installed here, by its environment variable or in its usual place. */
export function installed(name: keyof typeof usualPlaces): boolean {
  const set = process.env[`${name.toUpperCase()}_PATH`];
  return set !== undefined ? existsSync(set) : usualPlaces[name].some((path) => existsSync(path));
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

/**
 * Installs Debian's Chromium, headless shell, Firefox, curl and Xvfb when CI=true, as root, on Debian or Ubuntu, and they
 * are missing.
 */
export function provideBrowsers(): void {
  if (process.env['CI'] !== 'true' || provided.every((path) => existsSync(path)) || process.getuid?.() !== 0) return;
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (!/^ID=(debian|ubuntu)$/m.test(release)) return;
  console.log(`installing ${packages.join(', ')}`);
  apt(['update']);
  apt(['install', '-y', '--no-install-recommends', ...packages]);
}
