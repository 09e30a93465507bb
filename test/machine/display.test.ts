// The virtual display of browsers with a window: one for all of them, from the first to the end of the server.
import process from 'node:process';
import * as assert from 'uvu/assert';
import { holdDisplay, VirtualDisplay } from '../../src/browsers/display/display.ts';
import { missing } from '../support/programs.ts';
import { suite } from '../support/suite.ts';

const test = suite('virtual display');
const ownDisplay = process.env['DISPLAY'] ? 'this machine has a display of its own' : undefined;
const check = test.unless(missing('a display') ?? ownDisplay);

const numberOf = ({ DISPLAY = '' }: Record<string, string>) => DISPLAY.slice(1);

check('each display of a process is set up', async () => {
  for (let turn = 0; turn < 3; turn++) {
    await using display = new VirtualDisplay();
    assert.match(numberOf(await display.environment()), /^\d+$/);
  }
});

check('it outlives its clients, and ends with the server', async () => {
  const display = new VirtualDisplay();
  const number = numberOf(await display.environment());
  try {
    for (let client = 0; client < 10; client++) {
      using connection = await holdDisplay(number);
      assert.ok(connection);
    }
    assert.is(numberOf(await display.environment()), number);
    (await holdDisplay(number))[Symbol.dispose]();
  } finally {
    await display[Symbol.asyncDispose]();
  }
  const error = await holdDisplay(number).catch((reason: unknown) => reason);
  assert.instance(error, Error);
});
