// Scratch directories whose paths are too long for the browsers' sockets: the longest allowed path works, the server
// refuses a longer one at startup, and when a browser exits for that reason, the error names it instead of quoting
// later output of child processes.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { missing } from '../support/programs.ts';
import { runMain, startService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('paths at the start');
const onLinux = test.unless(process.platform === 'linux' ? undefined : 'the limit differs on other systems');
const withFull = test.unless(missing('a full Chromium'));
const query = { launch: JSON.stringify({ headless: true }) };
const page = { html: '<h1>started</h1>' };
const base = mkdtempSync('/tmp/long-');
test.after(() => rmSync(base, { recursive: true }));

withFull('a full browser starts with the longest allowed scratch path', async () => {
  const scratch = join(base, 'x'.repeat((process.platform === 'darwin' ? 44 : 48) - base.length));
  mkdirSync(scratch);
  await using service = await startService({ env: { SCRATCH_DIR: scratch, SPARES: '0' } });
  assert.match(succeeded(await service.post('/content', page, { query })).text, /started/);
});

onLinux('a longer scratch path is rejected at startup with an error that names its setting', async () => {
  const { code, output } = await runMain({ env: { SCRATCH_DIR: `/tmp/${'x'.repeat(45)}` } });
  assert.is(code, 78);
  assert.match(output, /SCRATCH_DIR must be at most 49 bytes long, got 50/);
});

withFull('a browser whose socket path is still too long reports that as the cause', async () => {
  const script = join(base, 'chromium');
  const real = process.env['CHROMIUM_PATH'] ?? '/usr/lib/chromium/chromium';
  const deeper = `"$TMPDIR/${'x'.repeat(60)}"`;
  writeFileSync(script, `#!/bin/sh\nmkdir -p ${deeper}\nTMPDIR=${deeper} exec '${real}' "$@"\n`);
  chmodSync(script, 0o755);
  await using service = await startService({ env: { CHROMIUM_PATH: script, SPARES: '0' } });
  const reply = await service.post('/content', page, { query });
  refused(reply, 500, 'The browser could not be started', 'Socket path too long');
  assert.not.match(reply.text, /cpufreq/);
});
