// What session replays record next to the markup: open popovers and drawings on canvases, which a player shows again.
// @tier ci
import * as assert from 'uvu/assert';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { connect, endAll } from '../support/clients/clients.ts';
import { ended, eventsOf, listed, payloadsOf, written } from '../support/clients/recordings.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { createPlayer } from '../support/player/player.ts';

const { test, service, site } = fixtureSuite('states in replays', {
  env: { SPARES: '0', TIMEOUT: '0' },
  timeoutMs: 60_000,
});
let reader: Reader;
test.before(async () => {
  reader = await startReader();
});
test.after.each(() => endAll(service));
test.after(() => reader.close());

test('a popover that a click opens, and a canvas that changes later', async () => {
  const html = `<title>States</title><button id="open" popovertarget="tip">Open</button><p id="tip" popover>Tip</p>
    <input id="own"><canvas id="drawn" width="30" height="20"></canvas><canvas id="unused"></canvas><canvas id="large" width="9000" height="9000"></canvas>
    <script>const context = drawn.getContext('2d'); context.fillRect(0, 0, 30, 20); large.getContext('2d').fillRect(0, 0, 9, 9);
      own.onclick = () => own.setCustomValidity('secret message'); </script>`;
  const browser = await connect(service, '/', { replay: true });
  const [page] = await browser.pages();
  assert.ok(page);
  await page.goto(`${site.url}/answer?body=${encodeURIComponent(html)}`);
  const [running] = (await listed(service)).recordings;
  const id = running?.id ?? '';
  await written(service, id, '"drawing"');
  await page.click('#own');
  await written(service, id, '"invalid":true');
  await page.click('#open');
  await written(service, id, '"isPopover":true');
  await page.evaluate(`context.fillStyle = 'red'; context.fillRect(0, 0, 30, 20)`);
  assert.is(await page.evaluate(`unused.getContext('webgl') !== null || unused.getContext('2d') !== null`), true);
  await browser.close();
  await ended(service, id);
  const events = await eventsOf(service, id, 1);
  assert.not.match(JSON.stringify(payloadsOf(events, 'states')), 'secret message');
  const drawings = payloadsOf(events, 'drawing');
  assert.is(new Set(drawings.map(({ data }) => data)).size, 2, 'the first drawing and the last one');

  const player = createPlayer(service, reader);
  const watched = await player.open(id);
  const inner = await player.inner(watched);
  await watched.focus('#track');
  await watched.keyboard.press('End');
  await player.until(inner, `built.querySelector('#tip')?.matches(':popover-open')`);
  await player.until(inner, `built.querySelector('#own')?.validity.customError`);
  const last = JSON.stringify(String(drawings.at(-1)?.['data']));
  await player.until(inner, `built.querySelector('#drawn')?.style.content.includes(${last})`);
  // Back to the click before.
  await watched.click('#events li:nth-last-child(2) button');
  await player.until(inner, `built.querySelector('#tip:not(:popover-open)')`);
});
