// npm run screenshots [folder]: every template in both themes and four widths, to be looked at.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { startReader } from '../support/checks/reader.ts';
import { startService } from '../support/service.ts';

export const templates = {
  home: '/',
  guide: '/enterprise/docker/config',
  rest: '/rest-apis/pdf-api',
  openapi: '/open-api',
  schema: '/bql-schema/operations/mutations/goto',
  search: '/search?q=timeout',
  missing: '/rest-apis/screnshot',
} as const;

const widths = [360, 768, 1280, 1920];

if (import.meta.main) {
  const folder = process.argv[2] ?? join(import.meta.dirname, '../../dist/screenshots');
  mkdirSync(folder, { recursive: true });
  const service = await startService();
  const reader = await startReader();
  try {
    for (const [name, path] of Object.entries(templates)) {
      const page = await reader.open();
      for (const width of widths) {
        for (const theme of ['light', 'dark']) {
          await page.setViewport({ width, height: width < 700 ? 780 : 1_000 });
          const url = new URL(path, service.url);
          url.searchParams.set('theme', theme);
          await page.goto(url.href, { waitUntil: 'load' });
          const file = join(folder, `${name}-${width}-${theme}.png`);
          await page.screenshot({ path: file });
          console.log(file);
        }
      }
      await page.close();
    }
  } finally {
    await reader.close();
    await service.stop();
  }
}
