/** Replaces the page that samples open, example.com, with the demo site, which needs no internet. */

/** The URL in the source of pages. */
export const sourceTarget = 'https://example.com/';
/** The URL that samples show instead. */
export const demoSiteUrl = 'http://playground.localhost/';

/** Excludes the URL in a User-Agent (`+https://example.com/bot`), which is never opened. */
const targets = /(?<!\+)https:\/\/example\.com\//g;

/** Changes a sample to open the demo site. */
export const onDemoSite = (code: string): string => code.replace(targets, demoSiteUrl);

/** Whether a sample also works with example.com, which has a single page. */
export const canSwitchTarget = (code: string): boolean =>
  new RegExp(targets.source).test(code) && !/https:\/\/example\.com\/[\w?#]/.test(code);
