// What an untouched Chromium with a window reported on a machine without a GPU; the judge's tests modify it.
import type { LabReport, NavigatorFacts, Probes } from './page/report.ts';
import type { LabRun } from './site.ts';

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';

const navigator: NavigatorFacts = {
  userAgent,
  appVersion: userAgent.slice('Mozilla/'.length),
  platform: 'Linux x86_64',
  language: 'en-US',
  languages: ['en-US', 'en'],
  hardwareConcurrency: 2,
  webdriver: 'false',
  timeZone: 'UTC',
  locale: 'en-US',
  brands: [
    { brand: 'Not:A-Brand', version: '8' },
    { brand: 'Chromium', version: '156' },
  ],
  fullVersions: [
    { brand: 'Not:A-Brand', version: '8.0.0.0' },
    { brand: 'Chromium', version: '156.0.8078.79' },
  ],
  architecture: 'x86',
  bitness: '64',
  uaPlatform: 'Linux',
  webgl: 'none',
};

const inWorker: NavigatorFacts = { ...navigator, webdriver: 'undefined' };

/** Counts when no client listens to the console. */
export const quietProbes: Probes = { name: 1, prototype: 3, prepare: 0, uncaught: 0, tableMicros: 10 };

/** Counts when a client has enabled Runtime. */
export const watchedProbes: Probes = { name: 2, prototype: 5, prepare: 1, uncaught: 2, tableMicros: 900 };

const report: LabReport = {
  navigator,
  window: {
    inner: { width: 1_536, height: 777 },
    outer: { width: 1_536, height: 864 },
    screen: { width: 1_920, height: 1_080 },
    availableScreen: { width: 1_920, height: 1_080 },
    scrollbar: 15,
    finePointer: true,
    hover: true,
    focused: true,
    visible: true,
    activeText: 'rgb(255, 0, 0)',
    fonts: ['Arial', 'Times New Roman', 'DejaVu Sans'],
    framePaceMs: 17,
  },
  abilities: {
    plugins: [
      'PDF Viewer',
      'Chrome PDF Viewer',
      'Chromium PDF Viewer',
      'Microsoft Edge PDF Viewer',
      'WebKit built-in PDF',
    ],
    mimeTypes: ['application/pdf', 'text/pdf'],
    pdfViewer: true,
    hasChrome: true,
    notificationQuery: 'prompt',
    notificationPermission: 'default',
    connectionRtt: 50,
    mediaDevices: [],
    voices: 0,
    h264: 'probably',
    aac: 'probably',
    iceCandidates: ['candidate:1 1 udp 2113937151 7b4c5b86-0000-4000-8000-000000000000.local 40000 typ host'],
    navigatorOwnNames: [],
    automationNames: [],
    tampered: [],
    freshFrameDifferences: [],
  },
  probes: quietProbes,
  contexts: {
    frame: { navigator, probes: quietProbes },
    crossFrame: { navigator, probes: quietProbes },
    worker: { navigator: inWorker, probes: quietProbes },
    sharedWorker: { navigator: inWorker },
    serviceWorker: { navigator: inWorker },
  },
  bot: { bot: false, kind: '', detectors: [] },
  fingerprint: { canvas: '"a"', audio: '124.04' },
};

/** The recorded run. */
export const untouched: LabRun = {
  headers: {
    'user-agent': userAgent,
    'accept-language': 'en-US,en;q=0.9',
    'sec-ch-ua': '"Not:A-Brand";v="8", "Chromium";v="156"',
  },
  report,
};
