/** Captures images of a page (Page.captureScreenshot): viewport, full page, region or element. */
import type { CommandParams } from '../../cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { ScreenshotOptions } from '../../../base/schema/request/fields.ts';
import { withRetry } from '../evaluate.ts';
import { fontsLoaded, withFonts } from './fonts.ts';
import { hideScrollbar } from '../../injected/document.ts';
import { locateElement } from '../../injected/element.ts';
import type { Box } from '../../injected/dom.ts';
import { invalidSelector } from '../load/waits.ts';
import type { Page } from '../page.ts';
import { fromBase64 } from '../../../base/runtime/bytes.ts';

interface Region extends Box {
  scale: number;
}

/**
 * Maximum size of an image in pixels: Chromium holds several copies of four bytes per pixel, 1 GB each at 268 million.
 */
const maxPixels = 2 ** 28;
const transparent = { color: { r: 0, g: 0, b: 0, a: 0 } };

/** Captures an image as bytes. @throws the errors documented for `captureBase64` */
export async function captureScreenshot(
  page: Page,
  options: ScreenshotOptions,
  selector?: string,
): Promise<Uint8Array> {
  return fromBase64(await captureBase64(page, options, selector));
}

/**
 * Captures an image as base64, the form in which the browser returns it.
 * @param what a selector, whose first match is captured, or a box in the document; a clip is then relative to it
 * @throws ServiceError `element-not-found`; `invalid-body` for an invalid selector; `bad-request` for an element
 *   without a size or an image that is too large
 */
export async function captureBase64(page: Page, options: ScreenshotOptions, what?: string | Box): Promise<string> {
  if (!page.target.showsScrollbars) return capture(page, options, what);
  // The image is as wide as the viewport, without the scroll bar of its window.
  await withRetry(page, () => page.evaluate(hideScrollbar, true));
  try {
    return await capture(page, options, what);
  } finally {
    page.evaluate(hideScrollbar, false).catch(() => {});
  }
}

async function capture(page: Page, options: ScreenshotOptions, what: string | Box | undefined): Promise<string> {
  const { type = 'png', quality, omitBackground, optimizeForSpeed, fromSurface, clip, captureBeyondViewport } = options;
  // The page notices a change of its size, and fonts change the size of the document: wait for them first.
  const isNoticed = what !== undefined || options.fullPage || clip !== undefined || captureBeyondViewport === true;
  if (isNoticed) await fontsLoaded(page);
  const region = await regionOf(page, options, what);
  const command: CommandParams<'Page.captureScreenshot'> = {
    format: type,
    quality,
    fromSurface,
    optimizeForSpeed,
    ...(region === 'window' ? {} : region),
  };
  const isTransparent = omitBackground && type !== 'jpeg';
  const shoot = async (): Promise<string> => (await page.send('Page.captureScreenshot', command)).data;
  const take = region === 'window' ? () => inWholeWindow(page, shoot) : shoot;
  const takeWithFonts = () => (isNoticed ? take() : withFonts(page, take));
  if (!isTransparent) return takeWithFonts();
  await page.send('Emulation.setDefaultBackgroundColorOverride', transparent);
  try {
    return await takeWithFonts();
  } finally {
    page.session.send('Emulation.setDefaultBackgroundColorOverride', {}).catch(() => {});
  }
}

type Framing = Pick<CommandParams<'Page.captureScreenshot'>, 'clip' | 'captureBeyondViewport'>;

/**
 * Returns the part of the document to capture; `window` for a window as large as the document. Capturing beyond the
 * viewport costs a second layout, so it is used only if needed.
 */
async function regionOf(
  page: Page,
  options: ScreenshotOptions,
  what: string | Box | undefined,
): Promise<Framing | 'window'> {
  const { clip, fullPage, captureBeyondViewport, fromSurface } = options;
  if (what !== undefined) {
    if (!fromSurface) throw viewOnly('selector');
    const region = typeof what === 'string' ? await elementRegion(page, what, clip) : withClip(what, clip);
    return beyondViewport(checked(page, region));
  }
  if (clip) {
    if (captureBeyondViewport !== false) return beyondViewport(checked(page, clip));
    return { clip: checked(page, await insideViewport(page, clip)) };
  }
  if (!fullPage) return captureBeyondViewport === true ? { captureBeyondViewport } : {};
  const { cssContentSize, cssLayoutViewport } = await page.send('Page.getLayoutMetrics');
  const { width, height } = cssContentSize;
  const fits = width <= cssLayoutViewport.clientWidth && height <= cssLayoutViewport.clientHeight;
  if (fits) return {};
  const whole = checked(page, { x: 0, y: 0, width, height, scale: 1 });
  return captureBeyondViewport === false ? 'window' : beyondViewport(whole);
}

const beyondViewport = (clip: Region): Framing => ({ clip, captureBeyondViewport: true });

/** Returns the part of a region that is inside the viewport. */
async function insideViewport(page: Page, { x, y, width, height, scale }: Region): Promise<Region> {
  const { pageX, pageY, clientWidth, clientHeight } = (await page.send('Page.getLayoutMetrics')).cssVisualViewport;
  const [left, top] = [Math.max(x, pageX), Math.max(y, pageY)];
  const [right, bottom] = [Math.min(x + width, pageX + clientWidth), Math.min(y + height, pageY + clientHeight)];
  if (right > left && bottom > top) return { x: left, y: top, width: right - left, height: bottom - top, scale };
  throw new ServiceError(
    'bad-request',
    `"clip" is outside the viewport (${clientWidth} x ${clientHeight} pixels at ${pageX}, ${pageY}). Remove "captureBeyondViewport": false to capture it.`,
  );
}

/** Enlarges the viewport to the document while it is captured: the page lays itself out for a window of that size. */
async function inWholeWindow<T>(page: Page, work: () => Promise<T>): Promise<T> {
  const { cssContentSize, cssLayoutViewport } = await page.send('Page.getLayoutMetrics');
  const { viewport } = page;
  const { clientWidth, clientHeight } = cssLayoutViewport;
  await page.send('Emulation.setDeviceMetricsOverride', {
    ...(viewport ?? { deviceScaleFactor: 1, mobile: false }),
    width: Math.max(viewport?.width ?? clientWidth, Math.ceil(cssContentSize.width)),
    height: Math.max(viewport?.height ?? clientHeight, Math.ceil(cssContentSize.height)),
  });
  try {
    return await work();
  } finally {
    const restored = viewport
      ? page.session.send('Emulation.setDeviceMetricsOverride', viewport)
      : page.session.send('Emulation.clearDeviceMetricsOverride');
    restored.catch(() => {});
  }
}

/** Chromium captures a view only as a whole, in CSS pixels. */
function viewOnly(field: string): ServiceError {
  return new ServiceError(
    'bad-request',
    `"fromSurface": false captures the whole window and cannot be used with "${field}"; remove fromSurface.`,
  );
}

async function elementRegion(page: Page, selector: string, clip: ScreenshotOptions['clip']): Promise<Region> {
  const box = await withRetry(page, () => page.evaluate(locateElement, selector));
  if (box === 'absent') throw new ServiceError('element-not-found', 'Element not found on page!');
  if (box === 'invalid') throw invalidSelector(selector, 'selector');
  if (box.width === 0 || box.height === 0) {
    throw new ServiceError(
      'bad-request',
      `The element that matches "selector" has no size (${box.width} x ${box.height}): it is hidden or empty. Wait for it with waitForSelector and "visible": true.`,
    );
  }
  return withClip(box, clip);
}

/** Applies a clip, which is relative to the element's box. */
function withClip(box: Box, clip: ScreenshotOptions['clip']): Region {
  if (!clip) return { ...box, scale: 1 };
  return { ...clip, x: box.x + clip.x, y: box.y + clip.y };
}

function checked(page: Page, region: Region): Region {
  // Round to whole pixels: at fractions, Chromium blends the edges with the adjacent pixels.
  const x = Math.round(region.x);
  const y = Math.round(region.y);
  const clip = {
    x,
    y,
    width: Math.max(1, Math.round(region.x + region.width) - x),
    height: Math.max(1, Math.round(region.y + region.height) - y),
    scale: region.scale,
  };
  const ratio = (page.viewport?.deviceScaleFactor ?? 1) * clip.scale;
  const pixels = clip.width * clip.height * ratio ** 2;
  if (pixels > maxPixels) {
    throw new ServiceError(
      'bad-request',
      `The image would be ${Math.round(clip.width * ratio)} x ${Math.round(clip.height * ratio)} pixels; the maximum is ${maxPixels} in total. Capture parts with "clip", or lower deviceScaleFactor.`,
    );
  }
  return clip;
}
