// What pages of the lab report to its site: facts about their browser, as JSON.

/** A name and version of the browser, as in the header Sec-CH-UA. */
export interface Brand {
  brand: string;
  version: string;
}

/** What `navigator` and its neighbours say; the same in each context of an honest browser. */
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
  /** Of userAgentData.getHighEntropyValues. */
  fullVersions: Brand[];
  architecture: string;
  bitness: string;
  uaPlatform: string;
  /** Vendor and renderer of WebGL; `none` without WebGL. */
  webgl: string;
}

/** What a page notices of a client that listens to its console: how often objects were read that it only logged. */
export interface Probes {
  /** Reads of `name` of a logged error. */
  name: number;
  /** Traps of a proxy that is the prototype of a logged error. */
  prototype: number;
  /** Calls of Error.prepareStackTrace for a logged error. */
  prepare: number;
  /** Traps of a proxy that is the prototype of an error that nobody catches. */
  uncaught: number;
  /** Duration of console.table with a large table, in microseconds: the fastest of several series. */
  tableMicros: number;
}

/** Contexts that run the probes. */
export type ProbedContext = 'page' | 'frame' | 'crossFrame' | 'worker';

/** Contexts beside the page. */
export type OtherContext = 'frame' | 'crossFrame' | 'worker' | 'sharedWorker' | 'serviceWorker';

/** What a context beside the page tells the page; a text says why it told nothing. */
export interface ContextFacts {
  navigator: NavigatorFacts;
  probes?: Probes;
}

export interface Size {
  width: number;
  height: number;
}

/** Facts about the window and what it is drawn with. */
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
  /** Colour of the CSS system colour ActiveText. */
  activeText: string;
  /** Families of a list that are installed. */
  fonts: string[];
  /** Mean interval of animation frames in milliseconds. */
  framePaceMs: number;
}

/** Facts about what the browser can do, and what automation leaves in it. */
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
  /** Names on `window` and `document` that tools of automation leave there. */
  automationNames: string[];
  /** Functions of the browser that were replaced, with how it shows. */
  tampered: string[];
  /** Where a fresh frame without a document of its own differs from the page. */
  freshFrameDifferences: string[];
}

export interface BotVerdict {
  bot: boolean;
  kind: string;
  /** Detectors of BotD that fired. */
  detectors: string[];
}

export interface LabReport {
  navigator: NavigatorFacts;
  window: WindowFacts;
  abilities: AbilityFacts;
  probes: Probes;
  contexts: Record<OtherContext, ContextFacts | string>;
  bot: BotVerdict;
  /** Values of FingerprintJS by name, as JSON. */
  fingerprint: Record<string, string>;
}

/** What the page of the gate reports; the site decides. */
export interface GateReport {
  bot: BotVerdict;
  webdriver: string;
  probes: Probes;
  inner: Size;
  outer: Size;
  screen: Size;
}

/** How a press and typing looked to the page. Durations in milliseconds. */
export interface InputReport {
  allTrusted: boolean;
  /** PointerEvent.pressure of the press; a mouse has 0.5. */
  pressure: number;
  /** From mousedown to mouseup. */
  holdMs: number;
  /** Whether the press hit the exact centre of the button. */
  deadCentre: boolean;
  moves: number;
  meanMoveIntervalMs: number;
  /** Largest number of moves that the browser merged into one event. */
  coalesced: number;
  /** Mean from keydown to keyup. */
  meanDwellMs: number;
  meanKeyIntervalMs: number;
  /** Whether Shift was down for the capital. */
  shift: boolean;
}
