// One probe for each option of /content, /pdf and /screenshot: a value, and how its effect shows in the response or in
// the requests of the page that test/support/site/walk.ts serves.
import { type DecodedImage, isColor, type Pdf } from '../../support/checks/media.ts';

export type Body = Readonly<Record<string, unknown>>;

/** What a request did. */
export interface Seen {
  status: number;
  contentType: string;
  /** Headers of the request for the page. */
  page: Readonly<Record<string, string>>;
  /** Names under `/walk/<id>/` that were requested; `auth` only with credentials, `ad` for the advertisement. */
  hits: ReadonlySet<string>;
  bytes: Uint8Array;
  /** The response of /pdf. */
  pdf?: (Pdf & { colors: readonly string[] }) | undefined;
  /** The response of /screenshot. */
  image?: undefined | { type: 'png' | 'jpeg'; width: number; height: number; at: DecodedImage['at'] };
}

export interface Probe {
  /** Path of the option. */
  option: string;
  value: Body;
  /** What the option needs to have an effect; alone, it must not show the effect. */
  beside?: Body;
  /** The page has a size in CSS. */
  css?: true;
  /** The effect shows only while the page's scripts run. */
  scripts?: true;
  /** The effect is a wait: a slow machine may show it without the option. */
  waits?: true;
  shows(seen: Seen): boolean;
}

export type Route = 'content' | 'pdf' | 'screenshot';

const near = (actual: number | undefined, expected: number, by = 2) =>
  actual !== undefined && Math.abs(actual - expected) <= by;
const hit =
  (name: string) =>
  ({ hits }: Seen) =>
    hits.has(name);
const header =
  (name: string, test: (value: string) => boolean) =>
  ({ page }: Seen) =>
    test(page[name] ?? '');

/** What the page requests 900 ms after it has loaded. */
const late = { scripts: true, waits: true, shows: hit('late') } as const;
const viewport = { width: 500, height: 400 };
const referer = 'http://from.example/page?x=1';

/** @param base URL of the page */
export function commonProbes(base: string, route: Route): Probe[] {
  return [
    { option: 'addScriptTag', value: { addScriptTag: [{ url: `${base}/script` }] }, shows: hit('script') },
    { option: 'addStyleTag', value: { addStyleTag: [{ url: `${base}/style` }] }, shows: hit('style') },
    { option: 'authenticate', value: { authenticate: { username: 'a', password: 'b' } }, shows: hit('auth') },
    {
      option: 'bestAttempt',
      value: { bestAttempt: true },
      beside: { waitForSelector: { selector: '#never', timeout: 60 } },
      shows: ({ status }) => status === 200,
    },
    {
      option: 'cookies',
      value: { cookies: [{ name: 'walk', value: 'x', url: base }] },
      shows: header('cookie', (text) => text.includes('walk=x')),
    },
    route === 'pdf'
      ? {
          option: 'emulateMediaType',
          value: { emulateMediaType: 'screen' },
          shows: ({ pdf }) => pdf?.pages.some(({ text }) => text.includes('SCREEN')) === true,
        }
      : { option: 'emulateMediaType', value: { emulateMediaType: 'print' }, shows: hit('print') },
    {
      option: 'gotoOptions.referer',
      value: { gotoOptions: { referer } },
      shows: header('referer', (text) => text.startsWith('http://from.example/')),
    },
    {
      option: 'gotoOptions.referrerPolicy',
      value: { gotoOptions: { referrerPolicy: 'unsafe-url' } },
      beside: { gotoOptions: { referer } },
      shows: header('referer', (text) => text === referer),
    },
    {
      option: 'gotoOptions.waitUntil',
      value: { gotoOptions: { waitUntil: 'networkidle0' } },
      ...late,
    },
    {
      option: 'rejectRequestPattern',
      value: { rejectRequestPattern: ['/pattern$'] },
      shows: ({ hits }) => !hits.has('pattern'),
    },
    {
      option: 'rejectResourceTypes',
      value: { rejectResourceTypes: ['font'] },
      shows: ({ hits }) => !hits.has('font'),
    },
    {
      option: 'requestInterceptors',
      value: { requestInterceptors: [{ pattern: '/mocked$', response: { status: 204 } }] },
      shows: ({ hits }) => !hits.has('mocked'),
    },
    {
      option: 'setExtraHTTPHeaders',
      value: { setExtraHTTPHeaders: { 'x-walk': 'yes' } },
      shows: header('x-walk', (text) => text === 'yes'),
    },
    { option: 'setJavaScriptEnabled', value: { setJavaScriptEnabled: false }, shows: hit('noscript') },
    {
      option: 'userAgent',
      value: { userAgent: 'Walker' },
      shows: header('user-agent', (text) => text === 'Walker'),
    },
    { option: 'viewport.width', value: { viewport }, shows: hit('width') },
    { option: 'viewport.height', value: { viewport }, shows: hit('height') },
    {
      option: 'viewport.deviceScaleFactor',
      value: { viewport: { ...viewport, deviceScaleFactor: 3 } },
      shows: hit('scale'),
    },
    { option: 'waitForTimeout', value: { waitForTimeout: 1_000 }, ...late },
    {
      option: 'waitForFunction',
      value: { waitForFunction: { fn: "() => document.querySelector('#late') !== null", timeout: 5_000 } },
      ...late,
    },
    { option: 'waitForSelector', value: { waitForSelector: { selector: '#late', timeout: 5_000 } }, ...late },
    { option: 'waitForEvent', value: { waitForEvent: { event: 'walk', timeout: 5_000 } }, ...late },
    { option: 'blockAds', value: { blockAds: true }, shows: ({ hits }) => !hits.has('ad') },
    { option: 'scrollPage', value: { scrollPage: true }, scripts: true, shows: hit('scrolled') },
  ];
}

const pageSizes = ({ pdf }: Seen) => (pdf?.pages ?? []).map(({ width, height }) => [width, height] as const);
const hasSide =
  (points: number) =>
  (seen: Seen): boolean =>
    pageSizes(seen).some((sides) => sides.some((side) => near(side, points)));
const items = ({ pdf }: Seen) => (pdf?.pages ?? []).flatMap((page) => page.items.map((item) => ({ ...item, page })));
/** The text of the page, without header and footer. */
const body = (seen: Seen) => items(seen).filter(({ text }) => !/HEAD|FOOT/.test(text));
const marks = (seen: Seen) => items(seen).filter(({ text }) => text === 'MARK');
const options = (value: Body) => ({ options: value });
const printed = (text: string) => (seen: Seen) => items(seen).some((item) => item.text.includes(text));

/** Width of a character in proportion to its size, in the monospace font of the page. */
const characterWidth = 0.55;

export const pdfProbes: readonly Probe[] = [
  {
    option: 'options.scale',
    value: options({ scale: 0.5 }),
    shows: (seen) => marks(seen).some(({ size }) => size < 15),
  },
  {
    option: 'options.headerTemplate',
    value: options({ headerTemplate: '<b style="font-size:9px">HEAD</b>' }),
    beside: options({ displayHeaderFooter: true, footerTemplate: '<b></b>', margin: { top: '1in' } }),
    shows: printed('HEAD'),
  },
  {
    option: 'options.footerTemplate',
    value: options({ footerTemplate: '<b style="font-size:9px">FOOT</b>' }),
    beside: options({ displayHeaderFooter: true, headerTemplate: '<b></b>', margin: { bottom: '1in' } }),
    shows: printed('FOOT'),
  },
  {
    option: 'options.displayHeaderFooter',
    value: options({ displayHeaderFooter: true }),
    beside: options({
      headerTemplate: '<b style="font-size:9px">HEAD</b>',
      footerTemplate: '<b></b>',
      margin: { top: '1in' },
    }),
    shows: printed('HEAD'),
  },
  {
    option: 'options.printBackground',
    value: options({ printBackground: true }),
    shows: ({ pdf }) => pdf?.colors.some((color) => /255,\s*0,\s*0|#ff0000/.test(color)) === true,
  },
  {
    option: 'options.omitBackground',
    value: options({ omitBackground: true }),
    beside: options({ printBackground: true }),
    shows: ({ pdf }) => pdf?.colors.some((color) => /18,\s*18,\s*18|#121212/.test(color)) === false,
  },
  {
    option: 'options.landscape',
    value: options({ landscape: true }),
    shows: (seen) => pageSizes(seen).some(([width, height]) => width > height),
  },
  {
    option: 'options.pageRanges',
    value: options({ pageRanges: '2' }),
    shows: (seen) => seen.pdf !== undefined && !printed('FIRST')(seen),
  },
  {
    option: 'options.format',
    value: options({ format: 'A5' }),
    shows: (seen) => hasSide(420)(seen) && hasSide(595)(seen),
  },
  { option: 'options.width', value: options({ width: '5in' }), shows: hasSide(360) },
  { option: 'options.height', value: options({ height: '12in' }), shows: hasSide(864) },
  {
    option: 'options.preferCSSPageSize',
    value: options({ preferCSSPageSize: true }),
    css: true,
    shows: (seen) => hasSide(225)(seen) && hasSide(300)(seen),
  },
  {
    option: 'options.margin.top',
    value: options({ margin: { top: '1in' } }),
    shows: (seen) => body(seen).every(({ y, size, page }) => page.height - y - size > 55),
  },
  {
    option: 'options.margin.bottom',
    value: options({ margin: { bottom: '1in' } }),
    shows: (seen) => body(seen).every(({ y }) => y > 60),
  },
  {
    option: 'options.margin.left',
    value: options({ margin: { left: '1in' } }),
    shows: (seen) => body(seen).every(({ x }) => x > 70),
  },
  {
    option: 'options.margin.right',
    value: options({ margin: { right: '1in' } }),
    shows: (seen) =>
      body(seen).every(({ x, text, size, page }) => x + text.length * size * characterWidth < page.width - 55),
  },
  { option: 'options.tagged', value: options({ tagged: false }), shows: ({ pdf }) => pdf?.tagged === false },
  { option: 'options.outline', value: options({ outline: true }), shows: ({ pdf }) => (pdf?.outline.length ?? 0) > 0 },
  {
    option: 'options.fullPage',
    value: options({ fullPage: true }),
    shows: ({ pdf }) => pdf?.pages.length === 1 && pdf.pages[0]?.text.includes('SECOND') === true,
  },
];

const ratio =
  (expected: number) =>
  ({ image }: Seen) =>
    image !== undefined && near(image.width / image.height, expected, 0.02 * expected);
const jpeg = options({ type: 'jpeg' });

export const screenshotProbes: readonly Probe[] = [
  { option: 'options.type', value: jpeg, shows: ({ image }) => image?.type === 'jpeg' },
  {
    option: 'options.quality',
    value: options({ quality: 1 }),
    beside: jpeg,
    shows: ({ image, bytes }) => image?.type === 'jpeg' && coarsestStep(bytes) > 200,
  },
  {
    option: 'options.fromSurface',
    value: options({ fromSurface: false }),
    beside: { viewport: { ...viewport, deviceScaleFactor: 3 } },
    shows: ({ image }) => image?.width === viewport.width,
  },
  {
    option: 'options.fullPage',
    value: options({ fullPage: true }),
    shows: ({ image }) => image !== undefined && image.height > image.width * 1.2,
  },
  {
    option: 'options.omitBackground',
    value: options({ omitBackground: true }),
    shows: ({ image }) => image?.at(image.width - 1, 1)[3] === 0,
  },
  { option: 'options.clip', value: options({ clip: { x: 0, y: 0, width: 90, height: 30 } }), shows: ratio(3) },
  {
    option: 'options.encoding',
    value: options({ encoding: 'base64' }),
    shows: ({ contentType }) => contentType.startsWith('text/plain'),
  },
  {
    option: 'options.captureBeyondViewport',
    value: options({ captureBeyondViewport: false }),
    beside: options({ clip: { x: 0, y: 0, width: 60, height: 3_000 } }),
    shows: ({ image }) => image !== undefined && image.height < image.width * 12,
  },
  {
    option: 'options.optimizeForSpeed',
    value: options({ optimizeForSpeed: true }),
    shows: ({ image, bytes }) => image?.type === 'png' && isFast(bytes),
  },
  {
    option: 'selector',
    value: { selector: '#box' },
    shows: ({ image }) => image !== undefined && isColor(image.at(1, 1), [255, 0, 0], 60),
  },
];

/** Largest quantization step of a JPEG: 255 at the lowest quality. */
function coarsestStep(bytes: Uint8Array): number {
  const at = bytes.findIndex((byte, index) => byte === 0xff && bytes[index + 1] === 0xdb);
  return at < 0 ? 0 : Math.max(...bytes.subarray(at + 5, at + 5 + 64));
}

/** Whether the compression level of a PNG is the fastest (RFC 1950, FLEVEL). */
function isFast(bytes: Uint8Array): boolean {
  const at = bytes.findIndex((_, index) => new TextDecoder().decode(bytes.subarray(index, index + 4)) === 'IDAT');
  return at > 0 && (bytes[at + 5] ?? 0) >> 6 === 0;
}

/** Options that the walk leaves out, and where their effect beside others is tested. */
export const leftOut: Readonly<Record<string, string>> = {
  'gotoOptions.timeout': 'its effect is an error',
  'options.timeout': 'its effect is an error',
  'options.waitForFonts': 'its effect is a time in seconds: test/fields/pdf.test.ts',
  'viewport.mobile': 'the same as isMobile: test/contract/fed-back/viewports.test.ts',
  'viewport.isMobile': 'changes the meaning of width: test/fields/page.test.ts',
  'viewport.hasTouch': 'shows only to scripts: test/fields/page.test.ts',
  'viewport.isLandscape': 'shows only to scripts: test/fields/page.test.ts',
  'options.path': 'always refused or ignored',
  blockConsentModals: 'needs a dialog: test/page/consent.test.ts',
};
