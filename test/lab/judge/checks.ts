// The table of checks: signs visible to pages that a browser is not an ordinary browser with a window. Each check reads
// what the lab's page reported and the headers of its request.
import type { Brand, ContextFacts, LabReport, NavigatorFacts, OtherContext } from '../page/report.ts';
import type { LabRun } from '../site.ts';

/** A check of what a page reported. */
interface Check {
  passes(run: LabRun): boolean;
  /** What the check looked at, for the reader of a failure. */
  saw(run: LabRun): unknown;
  /** True for a check that also depends on the machine's load: it is printed, but never fails. */
  isNoisy?: true;
}

const navigatorOf = ({ report }: LabRun) => report.navigator;
const windowOf = ({ report }: LabRun) => report.window;
const abilitiesOf = ({ report }: LabRun) => report.abilities;

const brandsText = (brands: readonly Brand[]) => brands.map(({ brand, version }) => `${brand} ${version}`).join(', ');
const sizeText = ({ width, height }: { width: number; height: number }) => `${width}x${height}`;
const majorOf = ({ userAgent }: NavigatorFacts) => /Chrome\/(\d+)/.exec(userAgent)?.[1] ?? 'none';

function sizesOf(run: LabRun) {
  const { inner, outer, screen, availableScreen: available } = windowOf(run);
  return { inner, outer, screen, available };
}

/** A check of the facts that `pick` returns; the same facts are shown as what the check saw. */
function check<T>(pick: (run: LabRun) => T, passes: (facts: T) => boolean): Check {
  return { passes: (run) => passes(pick(run)), saw: pick };
}

const operatingSystems: Record<string, RegExp> = { Linux: /Linux/, Windows: /Windows/, macOS: /Mac/ };

/** Facts that each context must share with the page. */
const sharedFacts = [
  'userAgent',
  'platform',
  'language',
  'languages',
  'hardwareConcurrency',
  'brands',
  'timeZone',
  'webgl',
] as const;

function differencesOf(report: LabReport, context: OtherContext): string[] {
  const facts: ContextFacts | string = report.contexts[context];
  if (typeof facts === 'string') return [facts];
  return sharedFacts
    .filter((name) => JSON.stringify(facts.navigator[name]) !== JSON.stringify(report.navigator[name]))
    .map((name) => `${name}: ${JSON.stringify(facts.navigator[name])}`);
}

const sameAsPage = (context: OtherContext): Check =>
  check(
    ({ report }) => differencesOf(report, context),
    (differences) => differences.length === 0,
  );

/** The user agent and its languages, as a page sees them. */
const identity = {
  'webdriver is false': check(
    (run) => navigatorOf(run).webdriver,
    (text) => text === 'false',
  ),
  'no Headless in User-Agent': check(
    (run) => `${navigatorOf(run).userAgent} ${navigatorOf(run).appVersion}`,
    (text) => !text.includes('Headless'),
  ),
  'no Headless in client hints': check(
    (run) => brandsText([...navigatorOf(run).brands, ...navigatorOf(run).fullVersions]),
    (text) => !text.includes('Headless'),
  ),
  'client hints name Chromium': check(
    (run) => brandsText(navigatorOf(run).brands),
    (text) => text.includes('Chromium'),
  ),
  'one major version': check(navigatorOf, (facts) => facts.brands.some(({ version }) => version === majorOf(facts))),
  'full versions in client hints': check(navigatorOf, (facts) =>
    facts.fullVersions.some(
      ({ brand, version }) =>
        brand === 'Chromium' && /^\d+(\.\d+){3}$/.test(version) && version.startsWith(`${majorOf(facts)}.`),
    ),
  ),
  'one operating system': check(
    navigatorOf,
    ({ uaPlatform, userAgent }) => operatingSystems[uaPlatform]?.test(userAgent) ?? false,
  ),
  'architecture in client hints': check(
    (run) => `${navigatorOf(run).architecture} ${navigatorOf(run).bitness}`,
    (text) => /^\S+ \S+$/.test(text),
  ),
  'header User-Agent': check(
    ({ headers, report }) => [headers['user-agent'], report.navigator.userAgent],
    ([sent, said]) => sent === said,
  ),
  'header Sec-CH-UA': check(
    ({ headers, report }) => ({ sent: headers['sec-ch-ua'] ?? '', brands: report.navigator.brands }),
    ({ sent, brands }) =>
      sent !== '' && brands.every(({ brand, version }) => sent.includes(`"${brand}";v="${version}"`)),
  ),
  'header Accept-Language': check(
    ({ headers, report }) => [
      (headers['accept-language'] ?? '').replace(/;q=[\d.]+/g, ''),
      report.navigator.languages.join(','),
    ],
    ([sent, said]) => sent === said,
  ),
  'Intl has the language': check(
    (run) => [navigatorOf(run).locale, navigatorOf(run).language],
    ([locale, language]) => locale === language,
  ),
} satisfies Record<string, Check>;

/** Abilities of a complete browser. */
const abilities = {
  '5 plugins': check(
    (run) => abilitiesOf(run).plugins,
    ({ length }) => length === 5,
  ),
  '2 MIME types': check(
    (run) => abilitiesOf(run).mimeTypes,
    ({ length }) => length === 2,
  ),
  'PDF viewer': check((run) => abilitiesOf(run).pdfViewer, Boolean),
  'window.chrome': check((run) => abilitiesOf(run).hasChrome, Boolean),
  'notifications agree': check(
    (run) => `${abilitiesOf(run).notificationQuery} ${abilitiesOf(run).notificationPermission}`,
    (text) => text !== 'prompt denied',
  ),
  'notifications not denied': check(
    (run) => abilitiesOf(run).notificationPermission,
    (text) => text !== 'denied',
  ),
  'WebGL of a real GPU': check(
    (run) => navigatorOf(run).webgl,
    (name) => name !== 'none' && !/SwiftShader|llvmpipe|Basic Render/i.test(name),
  ),
  'media devices': check(
    (run) => abilitiesOf(run).mediaDevices,
    ({ length }) => length > 0,
  ),
  voices: check(
    (run) => abilitiesOf(run).voices,
    (count) => count > 0,
  ),
  'H.264 and AAC': check(
    (run) => [abilitiesOf(run).h264, abilitiesOf(run).aac],
    ([h264, aac]) => h264 === 'probably' && aac !== '',
  ),
  'connection.rtt': check(
    (run) => abilitiesOf(run).connectionRtt,
    (rtt) => rtt > 0,
  ),
  'WebRTC shows no private address': check(
    (run) => abilitiesOf(run).iceCandidates,
    (candidates) => !candidates.some((text) => /\b(10|172|192|127)\.\d+/.test(text)),
  ),
} satisfies Record<string, Check>;

/** Whether the window could be a person's. */
const geometry = {
  'window higher than viewport': check(sizesOf, ({ inner, outer }) => outer.height - inner.height >= 50),
  'viewport not 800x600, 1280x720': check(
    (run) => sizeText(windowOf(run).inner),
    (size) => size !== '800x600' && size !== '1280x720',
  ),
  'screen holds the window': check(
    sizesOf,
    ({ screen, outer }) =>
      screen.width >= outer.width && screen.height >= outer.height && sizeText(screen) !== '800x600',
  ),
  taskbar: check(
    sizesOf,
    ({ screen, available }) => available.width < screen.width || available.height < screen.height,
  ),
  'screen larger than viewport': check(sizesOf, ({ screen, inner }) => sizeText(screen) !== sizeText(inner)),
  scrollbar: check(
    (run) => windowOf(run).scrollbar,
    (width) => width > 0,
  ),
  'mouse and hover': check(
    (run) => [windowOf(run).finePointer, windowOf(run).hover],
    ([fine, hover]) => fine === true && hover === true,
  ),
  'focused and visible': check(
    (run) => [windowOf(run).focused, windowOf(run).visible],
    ([focused, visible]) => focused === true && visible === true,
  ),
  'ActiveText not red': check(
    (run) => windowOf(run).activeText,
    (colour) => colour !== 'rgb(255, 0, 0)',
  ),
  '3 fonts': check(
    (run) => windowOf(run).fonts,
    ({ length }) => length >= 3,
  ),
  '60 frames a second': {
    ...check(
      (run) => windowOf(run).framePaceMs,
      (pace) => pace <= 20,
    ),
    isNoisy: true,
  },
} satisfies Record<string, Check>;

/** Whether all contexts report the same facts, and no script has changed anything. */
const integrity = {
  'frames of the site as page': check(
    ({ report }) => [...report.abilities.freshFrameDifferences, ...differencesOf(report, 'frame')],
    ({ length }) => length === 0,
  ),
  'native functions': check(
    (run) => abilitiesOf(run).tampered,
    ({ length }) => length === 0,
  ),
  'navigator has no own names': check(
    (run) => abilitiesOf(run).navigatorOwnNames,
    ({ length }) => length === 0,
  ),
  'no names of automation': check(
    (run) => abilitiesOf(run).automationNames,
    ({ length }) => length === 0,
  ),
  'worker as page': sameAsPage('worker'),
  'shared worker as page': sameAsPage('sharedWorker'),
  'service worker as page': sameAsPage('serviceWorker'),
  'cross-site frame as page': sameAsPage('crossFrame'),
} satisfies Record<string, Check>;

/** Every check by its name, in the order of the table. */
export const checks: Readonly<Record<string, Check>> = { ...identity, ...abilities, ...geometry, ...integrity };

/** Names of all checks. */
export const checkNames: readonly string[] = Object.keys(checks);
