// The machine's wall clock jumps, as when the system corrects it: durations, limits and links continue as if nothing
// had happened.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { rawClient, socketUrl } from '../support/clients/clients.ts';
import { signIn } from '../support/clients/dashboard.ts';
import { succeeded } from '../support/checks/expect.ts';
import { startProcess } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const test = suite('jumps of the clock');
const hourMs = 3_600_000;

/** Loaded into the server before its own code: shifts its wall clock by the number of milliseconds in the file. */
const preload = `import { readFileSync } from 'node:fs';
const RealDate = Date;
const time = () => RealDate.now() + Number(readFileSync(process.env.CLOCK_JUMP, 'utf8'));
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(time());
    else super(...given);
  }
  static now() {
    return time();
  }
};
`;

interface Entry {
  browserId: string;
  timeAliveMs: number;
}

async function keepsTime(): Promise<void> {
  const directory = temporaryDirectory();
  const [jump, script] = [join(directory, 'jump'), join(directory, 'clock.mjs')];
  writeFileSync(jump, '0');
  writeFileSync(script, preload);
  await using service = await startProcess({
    env: { CLOCK_JUMP: jump, NODE_OPTIONS: `--import=${pathToFileURL(script)}`, SPARES: '0', TOKEN: 'the-token' },
  });
  const cookie = await signIn(service);
  const began = performance.now();
  const client = await rawClient(socketUrl(service, '/', { token: 'the-token' }));
  await client.send('Browser.getVersion');
  const stored = succeeded(await service.post('/session', { ttl: 60_000 })).json<{ id: string; connect: string }>();
  const first = await rawClient(stored.connect);
  await first.send('Browser.getVersion');
  for (const ms of [-hourMs, -25 * hourMs, 0, 30 * 24 * hourMs, 400_000]) {
    writeFileSync(jump, String(ms));
    const listed = (await service.get('/sessions')).json<Entry[]>();
    assert.is(new Set(listed.map(({ browserId }) => browserId)).size, 2, `${ms}: ${JSON.stringify(listed)}`);
    for (const { timeAliveMs } of listed) {
      assert.ok(timeAliveMs >= 0 && timeAliveMs <= performance.now() - began, `${ms}: alive for ${timeAliveMs} ms`);
      assert.ok(Number.isInteger(timeAliveMs), `${timeAliveMs} ms`);
    }
    // A client that connects after the jump still has the rest of the minute, and a live view lasts as long as
    // requested.
    const again = await rawClient(stored.connect);
    await again.send('Browser.getVersion');
    const live = await service.post(`/browser/${stored.id}/live`, { timeout: 30_000 });
    const { liveURLId } = succeeded(live).json<{ liveURLId: string }>();
    assert.is((await service.get(`/browser/${stored.id}/live/${liveURLId}`)).status, 200, String(ms));
    again.socket.close();
    const events = await service.get('/dashboard/events', { method: 'HEAD', token: null, headers: { cookie } });
    assert.is(events.status, 200, `${ms}: still signed in`);
  }
  assert.is((await service.post('/content', { html: '<h1>on time</h1>' })).status, 200);
  first.socket.close();
  client.socket.close();
  assert.is((await service.get(`/kill/${stored.id}`)).status, 204);
}

const title = 'sessions keep their age, limits, links and sign-ins when the clock jumps';
if ('Deno' in globalThis) test.skip(title, 'an option of Node moves the clock', { impossibleInCi: true });
else test(title, keepsTime);
