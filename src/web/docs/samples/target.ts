/** The page that samples open: one of the demo site, which needs no internet, or example.com. */

/** What pages write. */
export const sourceTarget = 'https://example.com/';
/** What samples show instead. */
export const demoSiteUrl = 'http://playground.localhost/';

/** Not the address in a User-Agent (`+https://example.com/bot`), which nobody opens. */
const targets = /(?<!\+)https:\/\/example\.com\//g;

/** A sample that opens the demo site. */
export const onDemoSite = (code: string): string => code.replace(targets, demoSiteUrl);

/** Whether a sample works with example.com too, which has one page. */
export const canSwitchTarget = (code: string): boolean =>
  new RegExp(targets.source).test(code) && !/https:\/\/example\.com\/[\w?#]/.test(code);
