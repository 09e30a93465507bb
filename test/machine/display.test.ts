// The virtual displays of browsers with a window: one for each browser, accessible only with its cookie, leaving
// nothing behind.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { type BrowserDisplay, holdDisplay, openDisplay } from '../../src/browser/processes/display/display.ts';
import { endProcesses, processesMentioning } from '../support/processes.ts';
import { missing } from '../support/programs.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const test = suite('virtual displays');
const machineDisplay = process.env['DISPLAY'] ? 'this machine has a display' : undefined;
const check = test.unless(missing('a display') ?? machineDisplay);
const cookieBytes = 16;

interface Opened extends AsyncDisposable {
  display: BrowserDisplay;
  directory: string;
  number: string;
  cookie: Uint8Array;
}

async function open(): Promise<Opened> {
  const directory = temporaryDirectory();
  const display = await openDisplay(directory);
  const { DISPLAY = '', XAUTHORITY = '' } = display.environment;
  return {
    display,
    directory,
    number: DISPLAY.slice(1),
    cookie: readFileSync(XAUTHORITY).subarray(-cookieBytes),
    [Symbol.asyncDispose]: () => display[Symbol.asyncDispose](),
  };
}

/** True when the display accepts a client with this cookie. */
const opens = (number: string, cookie: Uint8Array) =>
  holdDisplay(number, cookie).then(
    (hold) => (hold[Symbol.dispose](), true),
    () => false,
  );

const socketFile = (number: string) => `/tmp/.X11-unix/X${number}`;

test.shows('recorded-screen', 'machine');
check('each display accepts only its own cookie, even after the cookie file is deleted', async () => {
  await using one = await open();
  await using other = await open();
  assert.is.not(one.number, other.number);
  assert.is(statSync(one.display.environment['XAUTHORITY'] ?? '').mode & 0o777, 0o600);
  for (const wrong of [new Uint8Array(), new Uint8Array(cookieBytes), other.cookie, one.cookie.subarray(1)]) {
    assert.not.ok(await opens(one.number, wrong));
  }
  assert.ok(await opens(one.number, one.cookie));
  rmSync(one.display.environment['XAUTHORITY'] ?? '');
  assert.not.ok(await opens(one.number, new Uint8Array()));
});

check('displays that open while others close keep their socket files', async () => {
  const lane = async () => {
    let ending: PromiseLike<void> | undefined;
    for (let count = 0; count < 8; count++) {
      const [opened] = await Promise.all([open(), ending]);
      assert.ok(existsSync(socketFile(opened.number)), `display ${opened.number}`);
      ending = opened[Symbol.asyncDispose]();
    }
    await ending;
  };
  await Promise.all([lane(), lane(), lane()]);
});

check('a display does not listen on a TCP port', async () => {
  await using one = await open();
  const answer = await new Promise((resolve) => {
    const socket = connect(6_000 + Number(one.number), '127.0.0.1', () => resolve('connected'));
    socket.on('error', resolve).on('connect', () => socket.destroy());
  });
  assert.match(String(answer), 'ECONNREFUSED');
});

const canSwitchUser = process.getuid?.() === 0 && existsSync('/usr/bin/xdpyinfo') && existsSync('/usr/bin/setpriv');
if (canSwitchUser) {
  check('rejects another user of the machine', async () => {
    await using one = await open();
    const look = (...before: string[]) => {
      const [program = '', ...args] = [...before, 'xdpyinfo', '-display', `:${one.number}`];
      return spawnSync(program, args, { env: { ...process.env, ...one.display.environment }, encoding: 'utf8' });
    };
    assert.is(look().status, 0);
    const { status, stderr } = look('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups');
    assert.is(status, 1);
    assert.match(stderr, /[Aa]uthorization required|unable to open display/);
  });
}

check('a display outlives its clients and leaves nothing behind', async () => {
  const { display, number, cookie, directory } = await open();
  try {
    for (let client = 0; client < 10; client++) assert.ok(await opens(number, cookie));
    assert.ok(existsSync(socketFile(number)));
  } finally {
    await display[Symbol.asyncDispose]();
  }
  assert.not.ok(display.lost.aborted);
  assert.not.ok(await opens(number, cookie));
  assert.not.ok(existsSync(socketFile(number)));
  assert.equal(processesMentioning(directory), []);
});

check('a killed display reports its loss and leaves nothing behind', async () => {
  const { display, number, directory } = await open();
  const lost = new Promise((resolve) => display.lost.addEventListener('abort', resolve));
  endProcesses(processesMentioning(directory));
  await lost;
  await display[Symbol.asyncDispose]();
  assert.not.ok(existsSync(socketFile(number)));
});
