// Facts about their browser that the lab's pages report to the site as JSON.

/** A name and version of the browser, as in the Sec-CH-UA header. */
export interface Brand {
  brand: string;
  version: string;
}

/** Values of `navigator` and related APIs; the same in each context of an honest browser. */
export interface NavigatorFacts {
  userAgent: string;
  appVersion: string;
  platform: string;
  language: string;
  languages: string[];
  hardwareConcurrency: number;
  /** `true`, `false`, or `undefined` in workers. */
  webdriver: string;
  timeZone: string;
  locale: string;
  brands: Brand[];
  /** From userAgentData.getHighEntropyValues. */
  fullVersions: Brand[];
  architecture: string;
  bitness: string;
  uaPlatform: string;
  /** WebGL vendor and renderer; `none` without WebGL. */
  webgl: string;
}

/** Signs of a client that listens to the page's console: how many times objects that were only logged were read. */
export interface Probes {
  /** Reads of the `name` of a logged error. */
  name: number;
  /** Traps of a proxy that is the prototype of a logged error. */
  prototype: number;
  /** Calls to Error.prepareStackTrace for a logged error. */
  prepare: number;
  /** Traps of a proxy that is the prototype of an uncaught error. */
  uncaught: number;
  /** Duration of console.table with a large table, in microseconds: the fastest of several series. */
  tableMicros: number;
}

/** Contexts that run the probes. */
export type ProbedContext = 'page' | 'frame' | 'crossFrame' | 'worker';

/** Contexts other than the page. */
export type OtherContext = 'frame' | 'crossFrame' | 'worker' | 'sharedWorker' | 'serviceWorker';

/** What another context reports to the page; if it reports nothing, a string gives the reason instead. */
export interface ContextFacts {
  navigator: NavigatorFacts;
  probes?: Probes;
}

export interface Size {
  width: number;
  height: number;
}

/** Facts about the window and its rendering. */
export interface WindowFacts {
  inner: Size;
  outer: Size;
  screen: Size;
  availableScreen: Size;
  /** Width of a vertical scrollbar in CSS pixels. */
  scrollbar: number;
  finePointer: boolean;
  hover: boolean;
  focused: boolean;
  visible: boolean;
  /** Value of the CSS system color ActiveText. */
  activeText: string;
  /** Installed font families, out of a fixed list. */
  fonts: string[];
  /** Mean interval of animation frames in milliseconds. */
  framePaceMs: number;
}

/** Facts about what the browser can do, and about traces of automation in it. */
export interface AbilityFacts {
  plugins: string[];
  mimeTypes: string[];
  pdfViewer: boolean;
  hasChrome: boolean;
  notificationQuery: string;
  notificationPermission: string;
  connectionRtt: number;
  mediaDevices: string[];
  voices: number;
  h264: string;
  aac: string;
  iceCandidates: string[];
  navigatorOwnNames: string[];
  /** Names on `window` and `document` that automation tools leave behind. */
  automationNames: string[];
  /** Browser functions that were replaced, with the evidence. */
  tampered: string[];
  /** Where a fresh frame whose document is not loaded yet differs from the page. */
  freshFrameDifferences: string[];
}

export interface BotVerdict {
  bot: boolean;
  kind: string;
  /** BotD detectors that fired. */
  detectors: string[];
}

export interface LabReport {
  navigator: NavigatorFacts;
  window: WindowFacts;
  abilities: AbilityFacts;
  probes: Probes;
  contexts: Record<OtherContext, ContextFacts | string>;
  bot: BotVerdict;
  /** FingerprintJS values by name, as JSON. */
  fingerprint: Record<string, string>;
}

/** What the gate page reports; the site decides. */
export interface GateReport {
  bot: BotVerdict;
  webdriver: string;
  probes: Probes;
  inner: Size;
  outer: Size;
  screen: Size;
}

/** How a click and typing looked to the page. Durations in milliseconds. */
export interface InputReport {
  allTrusted: boolean;
  /** PointerEvent.pressure of the click; a mouse has 0.5. */
  pressure: number;
  /** From mousedown to mouseup. */
  holdMs: number;
  /** Whether the click hit the exact center of the button. */
  deadCentre: boolean;
  moves: number;
  meanMoveIntervalMs: number;
  /** Largest number of moves that the browser coalesced into one event. */
  coalesced: number;
  /** Mean from keydown to keyup. */
  meanDwellMs: number;
  meanKeyIntervalMs: number;
  /** Whether Shift was down for the capital letter. */
  shift: boolean;
}
