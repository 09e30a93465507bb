// `browserd --check` reports what a server would find, in healthy and hostile environments. It does not start a server,
// print secrets or leave anything behind.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { placeOf } from '../support/programs.ts';
import { runMain, type ProcessOptions } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { mountSmallDisk, noSmallDisk } from '../support/small-disk.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const test = suite('--check');
let site: Site;
const base = temporaryDirectory();

test.before(async () => {
  site = await startSite();
});
test.after(() => site.close());

interface Checked {
  code: number | null;
  output: string;
  /** Status and text of each line about a subject. */
  about(subject: string): string[];
}

/** A new directory for each run, which shows what was left behind. */
function ownDirectory(): string {
  return mkdtempSync(join(base, 'run-'));
}

async function check(env: Record<string, string> = {}, options: ProcessOptions = {}): Promise<Checked> {
  const own = ownDirectory();
  const { code, output } = await runMain({
    ...options,
    args: ['--check', ...(options.args ?? [])],
    env: {
      PORT: '0',
      HOST: '127.0.0.1',
      TMPDIR: own,
      HOME: own,
      XDG_CACHE_HOME: join(own, 'cache'),
      // Deno caches compiled code there.
      DENO_DIR: join(base, 'deno'),
      ...env,
    },
  });
  assert.equal(readdirSync(own), [], 'nothing is left behind');
  const lines = output.split('\n').flatMap((line) => {
    const [, mark = '', subject = '', text = ''] = /^(ok|note|problem) +(\S+(?: \S+)*?)  +(.*)$/.exec(line) ?? [];
    return mark === '' ? [] : [{ mark, subject, text }];
  });
  return {
    code,
    output,
    about: (subject) => lines.filter((each) => each.subject === subject).map(({ mark, text }) => `${mark}: ${text}`),
  };
}

const shell = placeOf('shell');
const withShell = test.unless(shell === undefined ? 'needs apt-get install chromium-headless-shell' : undefined);

withShell('exits with 0 on a machine that can serve, and reports everything that a server needs', async () => {
  const { code, output, about } = await check({ TOKEN: 'secret-token', CONCURRENT: '1' });
  assert.is(code, 0, output);
  assert.match(output, /^The server can serve requests\. \d+ notes, 0 problems\.$/m);
  assert.match(about('version').join(), /^ok: browserd \d+\.\d+\.\d+ on (node|deno) /);
  assert.match(about('memory').join(), /^ok: [\d.]+ [GM]B \((machine|container)\), [\d.]+ [GM]B in use$/);
  assert.match(about('processors').join(), /^ok: [\d.]+ \((machine|container)\)$/);
  assert.equal(about('concurrency'), ['ok: CONCURRENT=1: enough memory']);
  assert.match(about('address').join(), 'ok: 127.0.0.1, port 0: free');
  for (const name of ['DATA_DIR', 'SCRATCH_DIR', 'DOWNLOAD_DIR', 'RECORDINGS_DIR', 'CACHE_DIR', 'METRICS_JSON_PATH']) {
    assert.match(about(name).join(), /^(ok|note): .*[GM]B free/, name);
  }
  const version = spawnSync(shell ?? '', ['--version', '--no-sandbox'], { encoding: 'utf8' }).stdout;
  const [number] = /[\d.]+\d/.exec(version) ?? [];
  assert.ok(about('browser').includes(`ok: Chromium headless shell ${number}: ${shell}`), output);
  assert.ok(about('browser').includes(`ok: default browser: ${shell}`), output);
  assert.match(about('clients').join(), /Playwright 1\.50 to 1\.\d+/);
  if (process.platform === 'linux') {
    const wanted = process.getuid?.() === 0 ? /^note: off.*runs as root/ : /^(ok|note: off)/;
    assert.match(about('sandbox').join(), wanted);
    assert.match(about('open files').join(), /^(ok|note): \d+/);
    assert.match(about('/dev/shm').join(), 'browsers do not use it');
  }
});

test('secrets are masked, even in URLs', async () => {
  const { output, about } = await check({
    TOKEN: 'secret-one,secret-two',
    RESIDENTIAL_PROXY_URL: 'http://user:secret-three@proxy.example:8000',
    ERROR_ALERT_URL: 'https://user:secret-four@alerts.example/?token=secret-five',
    EXTERNAL: 'https://browsers.example',
    HOST: '127.0.0.1',
  });
  assert.not.match(output, 'secret-');
  assert.ok(about('configuration').includes('ok: TOKEN=***'), output);
  assert.ok(about('configuration').includes('ok: EXTERNAL=https://browsers.example'));
});

test('what a server would warn about is a note', async () => {
  const { about } = await check({ PREBOOT_CHROME: 'true', MAX_CONCURRENT_SESSIONS: '3' });
  const notes = about('configuration').filter((line) => line.startsWith('note'));
  for (const says of [/PREBOOT_CHROME/, /MAX_CONCURRENT_SESSIONS was renamed/, /TOKEN is not set/]) {
    assert.ok(
      notes.some((line) => says.test(line)),
      String(says),
    );
  }
});

test("invalid settings are all reported, with the server's exit code", async () => {
  const wrong = await check({ CONCURRENT: 'many', TIMEOUT: 'long' });
  assert.is(wrong.code, 78);
  assert.is(wrong.about('configuration').length, 2);
  assert.match(wrong.output, /problem +configuration +CONCURRENT must be/);
  assert.match(wrong.output, 'The server cannot start.');
  assert.is((await check({}, { args: ['--no-such-option'] })).code, 64);
});

test('exits with 69 for a port in use, and still checks everything else', async () => {
  const { code, about } = await check({ PORT: String(site.port) });
  assert.is(code, 69);
  assert.match(about('address').join(), /^problem: Port \d+ on 127\.0\.0\.1 is in use \(EADDRINUSE\)/);
  assert.ok(about('fonts').length > 0);
});

test('exits with 73 for an unprivileged user who cannot write anywhere, and names each setting', async () => {
  const locked = join(ownDirectory(), 'locked');
  mkdirSync(locked);
  const isRoot = process.getuid?.() === 0;
  const user = 65_534;
  // Let the other user traverse the parent directories.
  for (let above = dirname(locked); above !== tmpdir() && above !== '/'; above = dirname(above))
    chmodSync(above, 0o755);
  if (isRoot) chownSync(locked, user, user);
  chmodSync(locked, 0o555);
  const { code, about } = await check(
    { TMPDIR: locked, HOME: locked, DATA_DIR: locked, CACHE_DIR: locked },
    isRoot ? { under: ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'] } : {},
  );
  assert.is(code, 73);
  // SCRATCH_DIR is elsewhere because its path must be short.
  for (const name of ['DATA_DIR', 'DOWNLOAD_DIR']) {
    assert.match(
      about(name).join(),
      /^problem: .*cannot be written to \(EACCES\)\. Correct its owner or permissions, or set/,
    );
  }
  for (const name of ['RECORDINGS_DIR', 'METRICS_JSON_PATH']) {
    assert.match(about(name).join(), /^note: .*\(EACCES\).*Without it, the server cannot store/);
  }
  if (process.platform === 'linux') assert.not.match(about('sandbox').join(), 'runs as root');
});

test.unless(noSmallDisk())('exits with 73 for a full disk', async () => {
  using disk = mountSmallDisk(16 * 2 ** 20);
  disk.fill(0);
  const { code, about } = await check({ DATA_DIR: disk.path });
  assert.is(code, 73);
  assert.match(about('DATA_DIR').join(), /^problem: .*, 0 MB free: the disk is full\. Free up space\./);
  disk.clear();
  assert.match((await check({ DATA_DIR: disk.path })).about('DATA_DIR').join(), /^note: .*1\d MB free: a busy day/);
});

test('exits with 78 for a browser that does not run or does not exist', async () => {
  const broken = join(ownDirectory(), 'browser');
  writeFileSync(broken, '#!/bin/sh\necho "error while loading shared libraries" >&2\nexit 127\n', { mode: 0o755 });
  const dead = await check({ SHELL_PATH: broken });
  assert.is(dead.code, 78);
  const says = `default browser: ${broken} does not run. Run it with --version`;
  assert.ok(
    dead.about('browser').some((line) => line.startsWith(`problem: ${says}`)),
    dead.output,
  );
  const gone = await check({ SHELL_PATH: '/no/such/browser' });
  assert.is(gone.code, 78);
  assert.match(gone.output, 'SHELL_PATH names /no/such/browser, which is not an executable file.');
});

test('a machine without fc-list, Xvfb and browsers is reported as such and falls back to the embedded browser', async () => {
  const empty = ownDirectory();
  const { output, about } = await check({ PATH: empty, DISPLAY: '' });
  if (process.platform === 'linux')
    assert.match(about('fonts').join(), /^note: cannot be listed: fc-list is not installed/);
  assert.match(output, /embedded headless shell/);
});

test('a concurrency that exceeds the memory or the open-file limit is a note', async () => {
  const { code, about } = await check({ CONCURRENT: '1000000' });
  assert.match(
    about('concurrency').join(),
    /^note: CONCURRENT=1000000, but there is only enough memory for \d+ concurrent requests\. Lower/,
  );
  if (process.platform === 'linux') assert.match(about('open files').join(), /^note: .*too few for CONCURRENT=1000000/);
  assert.ok(code === 0 || code === 78);
});
