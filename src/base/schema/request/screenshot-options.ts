// Defines ScreenshotOptions. Options that cannot be combined are refused here, with a hint on what to send instead.

import * as v from 'valibot';
import { field, flag, overridden } from './primitives.ts';

const size = (text: string) => v.pipe(v.number(), v.gtValue(0), v.maxValue(16_384 * 4), v.description(text));

const clip = v.strictObject({
  x: v.pipe(v.number(), v.description('Left edge in CSS pixels.')),
  y: v.pipe(v.number(), v.description('Top edge in CSS pixels.')),
  width: size('Width in CSS pixels.'),
  height: size('Height in CSS pixels.'),
  scale: v.optional(v.pipe(v.number(), v.gtValue(0), v.maxValue(10), v.description('Scale of the image.')), 1),
});

const screenshotObject = v.strictObject({
  type: field(v.picklist(['png', 'jpeg', 'webp']), 'Image format; defaults to png, or to the image type in Accept.'),
  quality: field(
    v.pipe(v.number(), v.minValue(0), v.maxValue(100), v.transform(Math.round)),
    'Quality of jpeg and webp, 0 to 100. Not for png.',
  ),
  fromSurface: v.optional(v.pipe(v.boolean(), v.description('false captures only the window, in CSS pixels.')), true),
  fullPage: flag('Capture the whole document, not the viewport.'),
  omitBackground: flag('Transparent background instead of white. Not for jpeg.'),
  path: field(
    v.pipe(
      v.string(),
      v.check(() => false, '"path" option is not allowed'),
    ),
    'Not allowed: files are not written on the server.',
  ),
  clip: field(clip, 'Part of the page; not allowed with fullPage.'),
  encoding: v.optional(v.pipe(v.picklist(['binary', 'base64']), v.description('Bytes, or base64 as text.')), 'binary'),
  captureBeyondViewport: field(
    v.boolean(),
    'Capture beyond the viewport. If false, clip is cropped and fullPage enlarges the window; no effect with selector.',
  ),
  optimizeForSpeed: flag('Encode PNGs faster; files are larger. Not for other types.'),
});

/** `quality` is a whole number; defaults are filled in. */
export type ScreenshotOptions = v.InferOutput<typeof screenshotObject>;

export const screenshotOptions = v.pipe(
  screenshotObject,
  overridden({
    omitBackground: ({ type, omitBackground }) => omitBackground && type === 'jpeg',
    optimizeForSpeed: ({ type, optimizeForSpeed }) => optimizeForSpeed && (type ?? 'png') !== 'png',
  }),
  v.forward(
    v.check(
      ({ type, quality }) => (type ?? 'png') !== 'png' || quality === undefined,
      'cannot be used with png, which is lossless; leave it out or set "type" to "jpeg" or "webp"',
    ),
    ['quality'],
  ),
  v.forward(
    v.check(
      (options) => options.clip === undefined || !options.fullPage,
      'cannot be used together with "fullPage"; leave one of them out',
    ),
    ['clip'],
  ),
  v.forward(
    v.check(
      (options) => options.fromSurface || (!options.fullPage && options.clip === undefined),
      'must not be false with "fullPage" or "clip"; leave it out',
    ),
    ['fromSurface'],
  ),
);
