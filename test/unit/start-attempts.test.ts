// Starting a browser again after failures: how often, after which pauses, and shared by callers of the same browser. What
// it wrote before it exited: which line gives the reason, and how much of it a client may see.
import * as assert from 'uvu/assert';
import {
  browserCrashed,
  fatalLine,
  fatalReason,
  LaunchFailed,
  startLine,
} from '../../src/browser/processes/last-words.ts';
import { Endings } from '../../src/browser/processes/endings.ts';
import { StartAttempts } from '../../src/browser/processes/start-attempts.ts';
import { suite } from '../support/suite.ts';

const test = suite('start attempts');
const passing = () => new LaunchFailed({ code: null, line: undefined }, undefined);
const lasting = () => new LaunchFailed({ code: 1, line: 'bad switch' }, undefined);

/** A start that fails `times` times and records its attempts. */
function failing(times: number, error: () => Error = passing) {
  const starts: number[] = [];
  const start = () => {
    starts.push(performance.now());
    return starts.length <= times ? Promise.reject(error()) : Promise.resolve('browser');
  };
  return { starts, start };
}

test('a transient failure is retried with growing pauses', async () => {
  const { starts, start } = failing(4);
  assert.is(await new StartAttempts(5).run('a', start, undefined), 'browser');
  assert.is(starts.length, 5);
  const pauses = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
  // 50 ms, doubled each time, minus up to half at random.
  pauses.forEach((ms, index) => assert.ok(ms >= 25 * 2 ** index - 2, `${pauses}`));
});

test('retries RETRIES times, and not at all after a permanent failure', async () => {
  for (const [retries, error, count] of [
    [2, passing, 3],
    [0, passing, 1],
    [5, lasting, 1],
    [5, () => new Error('a defect'), 1],
  ] as const) {
    const { starts, start } = failing(100, error);
    await new StartAttempts(retries).run('a', start, undefined).then(assert.unreachable, () => undefined);
    assert.is(starts.length, count);
  }
});

test('a hundred callers of a broken browser do not cause five hundred launches', async () => {
  const { starts, start } = failing(1_000);
  const attempts = new StartAttempts(5);
  await attempts.run('a', start, undefined).catch(() => undefined);
  const before = starts.length;
  const callers = Array.from({ length: 100 }, () => attempts.run('a', start, undefined).catch((error) => error));
  for (const error of await Promise.all(callers)) assert.instance(error, LaunchFailed);
  assert.is(starts.length - before, 1);
});

test('all callers continue after the first successful start', async () => {
  const { starts, start } = failing(3);
  const attempts = new StartAttempts(5);
  await Promise.all([1, 2, 3, 4, 5].map(() => attempts.run('a', start, undefined)));
  // Three failed, together or in sequence; each waiting caller started once.
  assert.ok(starts.length <= 8, `${starts.length}`);
});

test('a caller that leaves lets the next in line try, and other browsers are not delayed', async () => {
  const attempts = new StartAttempts(5);
  attempts.crashedEarly('a', passing());
  const leave = new AbortController();
  const left = attempts.run('a', () => Promise.resolve('nobody'), leave.signal).catch((error: unknown) => error);
  const next = attempts.run('a', () => Promise.resolve('browser'), undefined);
  leave.abort('left');
  assert.is(await left, 'left');
  assert.is(await attempts.run('b', () => Promise.resolve('other'), undefined), 'other');
  assert.is(await next, 'browser');
});

test('a new browser waits while too many are exiting, but not longer than its caller', async () => {
  const endings = new Endings(2);
  const gone = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  for (const { promise } of gone) endings.note(promise);
  const signal = AbortSignal.abort(new Error('left'));
  await endings.room(signal).then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'left'),
  );
  let room = false;
  const waiting = endings.room(undefined).then(() => (room = true));
  assert.not(room);
  gone[0]?.resolve();
  await waiting;
});

const nss = '[1122/140601.647469:FATAL:../crypto/nss_util.cc:146] nss_error=-5925, os_error=0';
const output = `[1122/140601.614202:WARNING:../sandbox/linux/sandbox_linux.cc:405] InitializeSandbox() called
[1122/140601.647404:ERROR:../crypto/nss_util.cc:256] Error (sql:/root/.local/share/pki/nssdb): libsqlite3.so.0: cannot open
${nss}
#0 0x55d3 <unknown>`;

test('the last FATAL line is the reason', () => {
  assert.is(fatalLine(output), nss);
  assert.is(fatalLine(`[1:2:FATAL:a.cc:1] first\n${output}`), nss);
  assert.is(fatalLine(output.replace('FATAL', 'ERROR')), undefined);
  assert.is(fatalLine('the page printed [x FATAL: y] z'), undefined);
});

test('a browser that was killed from outside gives no reason', () => {
  assert.is(fatalReason('SIGTRAP', output), nss);
  assert.is(fatalReason(null, output), nss);
  for (const signal of ['SIGKILL', 'SIGTERM']) assert.is(fatalReason(signal, output), undefined, signal);
});

test('later output of child processes does not hide why the browser exited', () => {
  const cause =
    '[2292:2292:1122/172540.640843:FATAL:chrome/browser/process_singleton_posix.cc:315] Socket path too long.';
  const later =
    '[1122/172540.664022:ERROR:util/file/file_io_posix.cc:145] open /sys/cpu0/cpufreq/scaling_cur_freq: No such';
  assert.is(startLine(1, `${cause}\n${later}\n${later}\n`), cause);
});

test('a failed launch is explained by its FATAL line, otherwise by its last line', () => {
  assert.is(startLine(1, output), nss);
  assert.is(startLine(1, 'one\ntwo\n\n'), 'two');
  // Output before a signal killed the browser is not the reason unless it says so.
  for (const code of [null, 139]) assert.is(startLine(code, 'one\ntwo'), undefined);
  assert.is(startLine(null, output), nss);
});

test('a failed launch is transient if it is unexplained or caused by a shortage', () => {
  const failed = (code: number | null | undefined, line?: string, cause?: unknown) =>
    new LaunchFailed({ code, line }, cause).transient;
  assert.ok(failed(null));
  assert.ok(failed(1, ''));
  assert.ok(failed(1, 'pthread_create: Resource temporarily unavailable (11)'));
  assert.ok(failed(undefined, undefined, Object.assign(new Error('spawn'), { code: 'EAGAIN' })));
  assert.not(failed(1, 'error while loading shared libraries: libnss3.so'));
  assert.not(failed(null, nss));
  assert.not(failed(undefined, undefined, Object.assign(new Error('spawn'), { code: 'ENOENT' })));
  assert.not(failed(undefined, undefined, new Error('no response within 30000 ms')));
});

test("messages for clients omit the server's folders and URLs", () => {
  assert.is(
    browserCrashed(nss).message,
    'The browser ended unexpectedly: nss_util.cc:146: nss_error=-5925, os_error=0. Try again.',
  );
  assert.is(browserCrashed(undefined, ', twice').message, 'The browser ended unexpectedly, twice. Try again.');
  const cases: [line: string, told: string][] = [
    [
      '/srv/x/chromium: error while loading shared libraries: libnspr4.so: no',
      'chromium: error while loading shared libraries: libnspr4.so: no',
    ],
    ['spawn /usr/bin/foo ENOENT', 'spawn foo ENOENT'],
    ['profile "/home/ann/.config" in use', 'profile ".config" in use'],
    ['could not load http://10.0.0.1/secret?token=1 here', 'could not load … here'],
    ['1 / 2 of it', '1 / 2 of it'],
  ];
  for (const [line, expected] of cases) {
    assert.is(
      new LaunchFailed({ code: 1, line }, undefined).message,
      `The browser could not be started: ${expected}. See the server log for details.`,
    );
  }
});
