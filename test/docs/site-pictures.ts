// Captures the documentation's images with the service itself: npm run screenshots -- --site. They are part of the
// repository, so that the build does not need a browser.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { site } from '../../src/web/docs/site/site.ts';
import type { Service } from '../support/service.ts';

interface SiteImage {
  file: string;
  type: string;
  width: number;
  height: number;
  text: string;
  body: Record<string, unknown>;
}

const style = 'body{margin:0;font:16px/1.5 "Liberation Sans",Arial,sans-serif;color:#2c2018}';

const rows = [
  ['Huila, Colombia', 12, 174],
  ['Sidama, Ethiopia', 8, 128],
  ['Nyeri, Kenya', 4, 71.6],
] as const;

const invoice = `<!doctype html><meta charset="utf-8"><title>Invoice 2041</title><style>${style}body{padding:72px 80px;color:#1b2320}header{display:flex;justify-content:space-between;font-size:18px}h1{margin:72px 0 8px;font-size:40px;letter-spacing:-1px}table{width:100%;margin-top:48px;border-collapse:collapse;font-size:17px}td,th{padding:14px 0;border-bottom:1px solid #d8dedb;text-align:left}td:last-child,th:last-child{text-align:right}footer{margin-top:40px;color:#5a6a64}</style><header><b>Northwind Coffee</b><span>Harbour Street 7, Bergen</span></header><h1>Invoice 2041</h1>Due on 14 December 2026<table><tr><th>Coffee<th>Bags<th>Euro</tr>${rows
  .map(([name, bags, euros]) => `<tr><td>${name}<td>${bags}<td>${euros.toFixed(2)}</tr>`)
  .join('')}<tr><th>Total<th>24<th>373.60</tr></table><footer>Thank you for your order.</footer>`;

const card = `<!doctype html><meta charset="utf-8"><title>browserd</title><style>${style}body{display:flex;flex-direction:column;justify-content:center;width:1200px;height:630px;padding:0 96px;box-sizing:border-box;background:#0b1110;color:#e7efec}.brand{display:flex;gap:24px;align-items:center;font-size:40px;font-weight:700}svg{width:64px;height:64px}h1{margin:56px 0 24px;font-size:76px;line-height:1.08;letter-spacing:-3px}p{margin:0;font-size:31px;color:#adbdb8}</style><div class="brand"><svg viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#5fd0c0"/><path d="M5.5 8.25A1.75 1.75 0 0 1 7.25 6.5h9.5a1.75 1.75 0 0 1 1.75 1.75v7.5a1.75 1.75 0 0 1-1.75 1.75h-9.5a1.75 1.75 0 0 1-1.75-1.75ZM5.5 9.5h13M8.5 12l1.75 1.5-1.75 1.5M12 15.25h3" fill="none" stroke="#04201c" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round"/></svg>browserd</div><h1>Headless browsers<br>on your own server</h1><p>Screenshots, PDFs, scraping, Puppeteer and Playwright</p>`;

const siteImages: Readonly<Record<string, SiteImage>> = {
  shop: {
    file: 'shop.webp',
    type: 'image/webp',
    width: 1280,
    height: 800,
    text: 'A page of a coffee shop: four bags of coffee with their prices.',
    body: {
      url: site.panelAddress,
      options: { type: 'webp', quality: 80 },
      viewport: { width: 1280, height: 800 },
    },
  },
  pdf: {
    file: 'pdf.webp',
    type: 'image/webp',
    width: 794,
    height: 620,
    text: 'The upper part of an invoice: three rows and their total.',
    body: {
      html: invoice,
      emulateMediaType: 'print',
      options: { type: 'webp', quality: 80 },
      viewport: { width: 794, height: 620 },
    },
  },
  card: {
    file: 'card.png',
    type: 'image/png',
    width: 1200,
    height: 630,
    text: 'browserd: headless browsers on your own server.',
    body: { html: card, viewport: { width: 1200, height: 630 } },
  },
};

/** @param folder where the images and their list are written */
export async function captureSiteImages(service: Service, folder: string): Promise<void> {
  // Keep the other images in the list, such as the diagram drawn by `npm run layers`.
  const list: Record<string, Omit<SiteImage, 'body'>> = JSON.parse(readFileSync(join(folder, 'list.json'), 'utf8'));
  for (const [name, { body, ...rest }] of Object.entries(siteImages)) {
    const reply = await service.post('/screenshot', body);
    if (reply.status !== 200) throw new Error(`${name}: ${reply.status} ${reply.text}`);
    writeFileSync(join(folder, rest.file), reply.bytes);
    list[name] = rest;
    console.log(`${name}: ${reply.bytes.length} bytes`);
  }
  writeFileSync(join(folder, 'list.json'), `${JSON.stringify(list, null, 2)}\n`);
}
