// What a browser wrote before it exited: which line gives the reason, and how much of it a client may see.
import * as assert from 'uvu/assert';
import {
  browserCrashed,
  fatalLine,
  fatalReason,
  LaunchFailed,
  startLine,
} from '../../src/browser/processes/last-words.ts';
import { suite } from '../support/suite.ts';

const test = suite('last words');
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
