// npm run screenshots [folder]: takes a screenshot of every template in both themes and at four widths, for review.
// npm run screenshots -- --site: writes the documentation's images, captured by the service itself, to public/pictures.
// npm run screenshots -- --readme: writes only the README's image, to .github/run-panel.png; it is part of the
// repository.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { editor, write } from '../support/checks/run-panel.ts';
import { startService } from '../support/service.ts';
import { captureSiteImages } from './site-pictures.ts';

export const templates = {
  home: '/',
  guide: '/enterprise/docker/config',
  diagram: '/enterprise/long-queues',
  status: '/status',
  rest: '/rest-apis/pdf-api',
  old: '/baas/v1/apis/pdf',
  charts: '/overview/curves',
  openapi: '/open-api',
  operations: '/open-api/rest-apis',
  schema: '/bql-schema/operations/mutations/goto',
  groups: '/bql-schema/schema',
  search: '/search?q=timeout',
  playground: '/playground',
  faq: '/overview/faq',
  missing: '/rest-apis/screnshot',
} as const;

const widths = [360, 768, 1280, 1720];
const root = join(import.meta.dirname, '../..');

/** The request shown in the README's image: sized to fill the panel both vertically and horizontally. */
const example = `{
  "html": "<h1>Invoice 2041</h1> Due soon <b>€ 1,280</b>",
  "addStyleTag": [
    { "content": "body { font: 2em Arial; margin: 1em }" },
    { "content": "b { float: right; color: #0b5f56 }" },
    { "content": "html { background: #f4efe4 }" }
  ],
  "viewport": { "width": 900, "height": 210 }
}`;

async function captureTemplates(reader: Reader, address: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [name, path] of Object.entries(templates)) {
    const page = await reader.open();
    for (const width of widths) {
      for (const theme of ['light', 'dark']) {
        await page.setViewport({ width, height: width < 700 ? 780 : 1_000 });
        const url = new URL(path, address);
        url.searchParams.set('theme', theme);
        await page.goto(url.href, { waitUntil: 'load' });
        if (name === 'playground') await page.waitForSelector('.play .cm-content, .play textarea, .play form');
        const file = join(folder, `${name}-${width}-${theme}.png`);
        await page.screenshot({ path: file });
        console.log(file);
      }
    }
    await page.close();
  }
}

/**
 * The panel that runs a sample, with its response: a single image shows what
 * the server does and that the documentation is built in.
 */
async function captureRunPanel(reader: Reader, address: string, file: string): Promise<void> {
  const page = await reader.open();
  await page.setViewport({ width: 1_240, height: 644, deviceScaleFactor: 1.25 });
  await page.goto(`${address}/rest-apis/screenshot-api?theme=light`, { waitUntil: 'load' });
  await page.evaluate(`document.querySelector('[data-run]').click()`);
  await page.waitForSelector(editor);
  // The sample runs automatically first.
  await page.waitForFunction(`/^\\d/.test(document.querySelector('.run-status')?.textContent ?? '')`);
  await write(page, example);
  await page.evaluate(`document.querySelector('.run .primary').click()`);
  await page.waitForFunction(`document.querySelector('.run-status')?.textContent.startsWith('200')`);
  await page.waitForFunction(`document.querySelector('.run img[src^="blob:"]')?.complete`);
  await page.evaluate(`{
    document.activeElement.blur();
    document.querySelector('.run').scrollIntoView();
  }`);
  await page.screenshot({ path: file });
  console.log(file);
}

if (import.meta.main) {
  const [folder = join(root, 'dist/screenshots')] = process.argv.slice(2);
  const service = await startService({ env: { TOKEN: 'secret-token' } });
  const reader = await startReader();
  try {
    if (folder === '--site') await captureSiteImages(service, join(root, 'public/pictures'));
    else if (folder === '--readme') await captureRunPanel(reader, service.url, join(root, '.github/run-panel.png'));
    else await captureTemplates(reader, service.url, folder);
  } finally {
    await reader.close();
    await service.stop();
  }
}
