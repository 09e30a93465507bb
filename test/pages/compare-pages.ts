/**
 * Pages from bug reports, and pages built like those that people have. Each is compared by picture with its archive from
 * /export, opened without its site, and with its replay; the lines of its comment say what else is right.
 */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { PNG } from 'pngjs';
import type { Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { unzip, writeFiles } from '../support/checks/unzip.ts';
import { connect, endAll } from '../support/clients/clients.ts';
import { ended, listed } from '../support/clients/recordings.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { createPlayer } from '../support/player/player.ts';
import { figure } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { type PageFile, readPages } from './page-file.ts';

const { test, fixture, service, site } = fixtureSuite('pages', {
  env: { SPARES: '0', REPLAY_MASK: 'none' },
  timeoutMs: 60_000,
});
const folder = temporaryDirectory();
const size = { width: 800, height: 600 };
/** The share of pixels, in percent, that may differ. */
const allowedPercent = 1;
/** Differences of a channel (0 to 255) up to this one come from antialiasing. */
const tolerance = 8;
let reader: Reader;

test.before(async () => {
  // The server's browsers have this flag too.
  reader = await startReader(['--font-render-hinting=none']);
});
test.after.each(() => endAll(service));
test.after(() => reader.close());

/** Pages that need time set `data-busy` on the root element until they are ready. */
const ready = 'html:not([data-busy])';

/** The upper left part of the window. */
async function pictureOf(page: Page): Promise<PNG> {
  const whole = PNG.sync.read(Buffer.from(await page.screenshot({ captureBeyondViewport: false })));
  const part = new PNG({ ...size });
  PNG.bitblt(whole, part, 0, 0, size.width, size.height);
  return part;
}

/** The share of pixels that differ, in percent. */
function differing(one: PNG, other: PNG): number {
  assert.equal([other.width, other.height], [one.width, one.height]);
  let count = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    const differs = [0, 1, 2].some(
      (part) => Math.abs((one.data[at + part] ?? 0) - (other.data[at + part] ?? 0)) > tolerance,
    );
    if (differs) count++;
  }
  return (count / (one.width * one.height)) * 100;
}

/** Opens a page in a recorded session. @returns its picture and the id of its replay */
async function visit({ path }: PageFile): Promise<{ live: PNG; recording: string }> {
  const browser = await connect(service, '/', { replay: true }, { defaultViewport: size });
  const [page] = await browser.pages();
  assert.ok(page);
  assert.is((await page.goto(`${site.url}${path}`))?.status(), 200);
  await page.waitForSelector(ready);
  const live = await pictureOf(page);
  await browser.close();
  const id = (await listed(service)).recordings[0]?.id ?? '';
  await ended(service, id);
  return { live, recording: id };
}

/** The picture of an archive that is opened without its site. */
async function archived({ path }: PageFile): Promise<PNG> {
  const { bytes } = await fixture.post('/export', {
    url: `${site.url}${path}`,
    includeResources: true,
    viewport: size,
    waitForSelector: { selector: ready },
  });
  const target = join(folder, path.replaceAll(/\W/g, '-'));
  writeFiles(await unzip(bytes), target);
  site.clear();
  const page = await reader.open(size);
  await page.goto(pathToFileURL(join(target, 'index.html')).href);
  const picture = await pictureOf(page);
  // A picture that the site does not have is looked for again.
  const asked = site.requests.map((request) => request.path).filter((each) => !each.endsWith('/missing.png'));
  assert.equal(asked, [], 'the archive requests nothing');
  await page.close();
  return picture;
}

/** The picture of the end of a replay. */
async function replayed(recording: string): Promise<PNG> {
  const player = createPlayer(service, reader);
  const page = await player.open(recording, { width: 1_400 });
  await page.waitForSelector('body[data-state=ready]');
  const inner = await player.inner(page);
  // At its own size, over everything else.
  await page.evaluate(`{
    const { style } = document.querySelector('iframe');
    Object.assign(style, { position: 'fixed', inset: '0', width: '800px', height: '600px', zIndex: 9, border: '0' });
  }`);
  await inner.evaluate(
    `document.head.append(Object.assign(document.createElement('style'), { textContent: '.replayer-mouse { display: none }' }))`,
  );
  await page.focus('#track');
  await page.keyboard.press('End');
  const length = await player.text(page, '#length');
  await until('the end of the replay', async () => (await player.now(page)) === length);
  await until('the replay at its size', () => inner.evaluate(`innerWidth === 800 && innerHeight === 600`));
  await player.until(
    inner,
    `built.body && built.fonts.status === 'loaded' && [...built.images].every((image) => image.complete)`,
  );
  // Applying the last events takes a moment.
  let picture = await pictureOf(page);
  await until('a picture that stays', async () => {
    const before = picture;
    picture = await pictureOf(page);
    return before.data.equals(picture.data);
  });
  await page.close();
  return picture;
}

/** Tests every page whose place in the list belongs to this part: they are too many for one test file. */
export function comparePages(part: number, parts: number): void {
  for (const page of readPages().filter((_, index) => index % parts === part)) {
    test(`${page.path}: ${page.title}`, async () => {
      for (const { line, route, body, verify } of page.checks) {
        const reply = await service.post(route, { url: `${site.url}${page.path}`, ...body });
        await verify(reply).catch((error: Error) => {
          error.message = `${line}\n${error.message}`;
          throw error;
        });
      }
      if (!page.pictures) return;
      const { live, recording } = await visit(page);
      const copies = { archive: await archived(page), replay: await replayed(recording) };
      const figures = Object.entries(copies).map(([name, copy]) => {
        const percent = differing(live, copy);
        if (percent >= allowedPercent) keep(page, { live, [name]: copy });
        return { name, percent, text: `${page.path} in its ${name}: ${percent.toFixed(2)} % of the pixels differ` };
      });
      for (const { text } of figures) figure(text);
      for (const { name, percent, text } of figures) {
        if (!page.differs.includes(name)) assert.ok(percent < allowedPercent, text);
      }
    });
  }
}

/** Writes the pictures into the directory that PAGES_KEEP names, to look at them. */
function keep({ path }: PageFile, pictures: Record<string, PNG>): void {
  const directory = process.env['PAGES_KEEP'];
  if (directory === undefined) return;
  for (const [name, picture] of Object.entries(pictures)) {
    writeFileSync(join(directory, `${basename(path, '.html')}-${name}.png`), PNG.sync.write(picture));
  }
}
