// A failed start exits with the code for its reason and a message that says what to do, so that an orchestrator can
// tell whether a restart might help.
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { Monitor } from '../../src/control/admission/monitor.ts';
import { exitCodes, ExitError } from '../../src/base/exit-codes.ts';
import { runMain, runsBinary, type ProcessOptions } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const test = suite('exit codes');
let site: Site;
const base = temporaryDirectory();

test.before(async () => {
  site = await startSite();
});
test.after(() => site.close());

/** Asserts the exit code of a failed startup and the content of its last line. */
async function ends(code: number, says: RegExp, options: ProcessOptions): Promise<void> {
  const started = await runMain({
    ...options,
    env: { PORT: '0', HOST: '127.0.0.1', SPARES: '0', METRICS_JSON_PATH: join(base, 'metrics.json'), ...options.env },
  });
  assert.is(started.code, code, started.output);
  assert.match(started.output, says);
  assert.not.match(started.output, '"event":"listening"');
}

test('--help lists each code with its meaning and what to do', async () => {
  const { code, output } = await runMain({ args: ['--help'] });
  assert.is(code, 0);
  for (const row of Object.values(exitCodes)) {
    assert.match(output, new RegExp(`^ +${row.code} +${row.meaning.replace(/[.()]/g, '\\$&')}`, 'm'));
    assert.ok(output.includes(row.advice));
  }
  const codes = Object.values(exitCodes).map((row) => row.code);
  assert.equal(codes, [0, 1, 64, 69, 70, 73, 77, 78]);
});

test('exits with 64 for an unknown option or a missing value', async () => {
  await ends(64, /--no-such-option is not a known option/, { args: ['--no-such-option=1'] });
  await ends(64, /--prot is not a known option/, { args: ['--prot', '3000'] });
  await ends(64, /--concurrent needs a value/, { args: ['--concurrent'] });
});

test("exits with 69 for a port in use or another machine's address", async () => {
  const port = String(site.port);
  await ends(69, /Port \d+ on 127\.0\.0\.1 is in use \(EADDRINUSE\)\. Stop the program/, { env: { PORT: port } });
  await ends(69, /cannot listen on 203\.0\.113\.1, port 0 \((?:EADDRNOTAVAIL|EINVAL)\)\. Set HOST/, {
    env: { HOST: '203.0.113.1' },
  });
  await ends(69, /cannot listen on no-such-host\.invalid/, { env: { HOST: 'no-such-host.invalid' } });
});

// The error is injected with NODE_OPTIONS, which neither Deno nor the single binary supports.
if (!('Deno' in globalThis) && !runsBinary) {
  test('exits with 70 for an internal error, with its cause in the log', async () => {
    const broken = `import { Server } from 'node:net'; Server.prototype.listen = () => { throw new TypeError('broken inside'); };`;
    const NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(broken)}"`;
    await ends(70, /"event":"start\.failed".*"exitCode":70.*broken inside/, { env: { NODE_OPTIONS } });
  });
}

test('exits with 73 for a file in place of a directory or a directory that is not writable', async () => {
  const file = join(base, 'file');
  writeFileSync(file, '');
  for (const setting of ['DATA_DIR', 'SCRATCH_DIR', 'DOWNLOAD_DIR']) {
    await ends(73, new RegExp(`${setting}: .*cannot be created \\(EEXIST\\)\\. Correct its owner`), {
      env: { [setting]: file },
    });
  }
  await ends(73, /SCRATCH_DIR: .*cannot be created \(ENOTDIR\)/, {
    env: { SCRATCH_DIR: join(file, 'x') },
  });
  const locked = join(base, 'locked');
  mkdirSync(locked);
  chmodSync(locked, 0o555);
  const isRoot = process.getuid?.() === 0;
  const [user, free] = ['65534', join(base, 'free')];
  mkdirSync(free);
  if (isRoot) chownSync(free, Number(user), Number(user));
  // Let the other user traverse the parent directories.
  for (let above = base; above !== tmpdir() && above !== '/'; above = dirname(above)) chmodSync(above, 0o755);
  await ends(73, /DATA_DIR: .*locked cannot be written to \(EACCES\)/, {
    env: { DATA_DIR: locked, SCRATCH_DIR: free, DOWNLOAD_DIR: free, HOME: free },
    ...(isRoot ? { under: ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'] } : {}),
  });
});

test('exits with 78 for an invalid value or a path that does not exist', async () => {
  await ends(78, /CONCURRENT must be/, { env: { CONCURRENT: 'many' } });
  await ends(78, /--concurrent must be/, { args: ['--concurrent=many'] });
  await ends(78, /DATA_DIR: \/no\/such\/directory does not exist\. Create it/, {
    env: { DATA_DIR: '/no/such/directory' },
  });
  await ends(78, /TOKEN_FILE must name a readable file, got/, { env: { TOKEN_FILE: '/no/such/file' } });
});

test('exits with 78 for MACHINE_STATS_SOURCE=cgroup without a cgroup', () => {
  const settings = { CPU_SAMPLE_INTERVAL_MS: 1, CPU_EMA_ALPHA: 1, CPU_OVERLOAD_HYSTERESIS: 1 };
  const limits = { MAX_CPU_PERCENT: 1, MAX_MEMORY_PERCENT: 1 };
  const start = () => new Monitor({ ...settings, ...limits, MACHINE_STATS_SOURCE: 'cgroup' }, () => undefined);
  assert.throws(start, (error: unknown) => error instanceof ExitError && error.exitCode === 78);
});
