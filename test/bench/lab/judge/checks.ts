// The table of checks. Each looks for a sign, visible to pages, that the browser is not an ordinary one with a window,
// in what the lab page reported and in the headers of its request.
import type { Brand, ContextFacts, LabReport, NavigatorFacts, OtherContext } from '../page/report.ts';
import type { LabRun } from '../site.ts';

/** A check of what a page reported. */
interface Check {
  passes(run: LabRun): boolean;
  /** What the check looked at; printed when it fails. */
  saw(run: LabRun): unknown;
  /** True for a check that also depends on the machine's load: it is printed, but never counted as a fault. */
  isNoisy?: true;
}

const navigatorOf = ({ report }: LabRun) => report.navigator;
const windowOf = ({ report }: LabRun) => report.window;
const featuresOf = ({ report }: LabRun) => report.abilities;

const brandsText = (brands: readonly Brand[]) => brands.map(({ brand, version }) => `${brand} ${version}`).join(', ');
const sizeText = ({ width, height }: { width: number; height: number }) => `${width}x${height}`;
const majorOf = ({ userAgent }: NavigatorFacts) => /Chrome\/(\d+)/.exec(userAgent)?.[1] ?? 'none';

function sizesOf(run: LabRun) {
  const { inner, outer, screen, availableScreen: available } = windowOf(run);
  return { inner, outer, screen, available };
}

/** A check of the facts that `pick` returns; the same facts are printed as what the check saw. */
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
  'client hints include Chromium': check(
    (run) => brandsText(navigatorOf(run).brands),
    (text) => text.includes('Chromium'),
  ),
  'major versions agree': check(navigatorOf, (facts) => facts.brands.some(({ version }) => version === majorOf(facts))),
  'full versions in client hints': check(navigatorOf, (facts) =>
    facts.fullVersions.some(
      ({ brand, version }) =>
        brand === 'Chromium' && /^\d+(\.\d+){3}$/.test(version) && version.startsWith(`${majorOf(facts)}.`),
    ),
  ),
  'operating systems agree': check(
    navigatorOf,
    ({ uaPlatform, userAgent }) => operatingSystems[uaPlatform]?.test(userAgent) ?? false,
  ),
  'architecture in client hints': check(
    (run) => `${navigatorOf(run).architecture} ${navigatorOf(run).bitness}`,
    (text) => /^\S+ \S+$/.test(text),
  ),
  'User-Agent header': check(
    ({ headers, report }) => [headers['user-agent'], report.navigator.userAgent],
    ([sent, reported]) => sent === reported,
  ),
  'Sec-CH-UA header': check(
    ({ headers, report }) => ({ sent: headers['sec-ch-ua'] ?? '', brands: report.navigator.brands }),
    ({ sent, brands }) =>
      sent !== '' && brands.every(({ brand, version }) => sent.includes(`"${brand}";v="${version}"`)),
  ),
  'Accept-Language header': check(
    ({ headers, report }) => [
      (headers['accept-language'] ?? '').replace(/;q=[\d.]+/g, ''),
      report.navigator.languages.join(','),
    ],
    ([sent, reported]) => sent === reported,
  ),
  'Intl uses the same language': check(
    (run) => [navigatorOf(run).locale, navigatorOf(run).language],
    ([locale, language]) => locale === language,
  ),
} satisfies Record<string, Check>;

/** Features of a full browser. */
const abilities = {
  '5 plugins': check(
    (run) => featuresOf(run).plugins,
    ({ length }) => length === 5,
  ),
  '2 MIME types': check(
    (run) => featuresOf(run).mimeTypes,
    ({ length }) => length === 2,
  ),
  'PDF viewer': check((run) => featuresOf(run).pdfViewer, Boolean),
  'window.chrome': check((run) => featuresOf(run).hasChrome, Boolean),
  'notification permissions agree': check(
    (run) => `${featuresOf(run).notificationQuery} ${featuresOf(run).notificationPermission}`,
    (text) => text !== 'prompt denied',
  ),
  'notifications not denied': check(
    (run) => featuresOf(run).notificationPermission,
    (text) => text !== 'denied',
  ),
  'WebGL on a real GPU': check(
    (run) => navigatorOf(run).webgl,
    (name) => name !== 'none' && !/SwiftShader|llvmpipe|Basic Render/i.test(name),
  ),
  'media devices': check(
    (run) => featuresOf(run).mediaDevices,
    ({ length }) => length > 0,
  ),
  voices: check(
    (run) => featuresOf(run).voices,
    (count) => count > 0,
  ),
  'H.264 and AAC': check(
    (run) => [featuresOf(run).h264, featuresOf(run).aac],
    ([h264, aac]) => h264 === 'probably' && aac !== '',
  ),
  'connection.rtt': check(
    (run) => featuresOf(run).connectionRtt,
    (rtt) => rtt > 0,
  ),
  'no private address in WebRTC': check(
    (run) => featuresOf(run).iceCandidates,
    (candidates) => !candidates.some((text) => /\b(10|172|192|127)\.\d+/.test(text)),
  ),
} satisfies Record<string, Check>;

/** Whether the window could belong to a person. */
const geometry = {
  'window taller than viewport': check(sizesOf, ({ inner, outer }) => outer.height - inner.height >= 50),
  'viewport not 800x600, 1280x720': check(
    (run) => sizeText(windowOf(run).inner),
    (size) => size !== '800x600' && size !== '1280x720',
  ),
  'window fits on screen': check(
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
    (color) => color !== 'rgb(255, 0, 0)',
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
  'same-site frames match page': check(
    ({ report }) => [...report.abilities.freshFrameDifferences, ...differencesOf(report, 'frame')],
    ({ length }) => length === 0,
  ),
  'native functions': check(
    (run) => featuresOf(run).tampered,
    ({ length }) => length === 0,
  ),
  'navigator has no own properties': check(
    (run) => featuresOf(run).navigatorOwnNames,
    ({ length }) => length === 0,
  ),
  'no automation globals': check(
    (run) => featuresOf(run).automationNames,
    ({ length }) => length === 0,
  ),
  'worker matches page': sameAsPage('worker'),
  'shared worker matches page': sameAsPage('sharedWorker'),
  'service worker matches page': sameAsPage('serviceWorker'),
  'cross-site frame matches page': sameAsPage('crossFrame'),
} satisfies Record<string, Check>;

/** Every check by its name, in the order of the table. */
export const checks: Readonly<Record<string, Check>> = { ...identity, ...abilities, ...geometry, ...integrity };

/** Names of all checks. */
export const checkNames: readonly string[] = Object.keys(checks);
