// Reads facts about what the browser can do, and finds traces that automation tools leave in a page.
import { pause, withinLimit } from './pause.ts';
import { tamperedFunctions } from './tampering.ts';
import type { AbilityFacts } from './report.ts';

const voicesLimitMs = 500;
const candidatesLimitMs = 3_000;

/** Names of globals that Puppeteer, Playwright, WebDriver, PhantomJS and others leave behind. */
const automationName =
  /^__pw|__playwright|puppeteer|pptr|cdc_|webdriver|selenium|domAutomation|callPhantom|_phantom|nightmare|\$cdc|\$chrome_async|awesomium|spynner/i;

async function voiceCount(): Promise<number> {
  // The first call starts loading the list; an event fires when it is filled.
  if (speechSynthesis.getVoices().length === 0) {
    const filled = new Promise((resolve) => {
      speechSynthesis.addEventListener('voiceschanged', resolve, { once: true });
    });
    await Promise.race([filled, pause(voicesLimitMs)]);
  }
  return speechSynthesis.getVoices().length;
}

/** Addresses that WebRTC reveals to the page. */
async function iceCandidates(): Promise<string[]> {
  const connection = new RTCPeerConnection({ iceServers: [] });
  const found: string[] = [];
  const complete = new Promise<void>((resolve) => {
    connection.onicecandidate = ({ candidate }) => {
      if (candidate === null) resolve();
      else found.push(candidate.candidate);
    };
  });
  connection.createDataChannel('probe');
  await connection.setLocalDescription(await connection.createOffer());
  await Promise.race([complete, pause(candidatesLimitMs)]);
  connection.close();
  return found;
}

/** Where `about:srcdoc` differs from the page before its document is loaded, which script patches often miss. */
function freshFrameDifferences(): string[] {
  const frame = document.createElement('iframe');
  frame.srcdoc = 'x';
  document.body.append(frame);
  const inner = frame.contentWindow as (Window & typeof globalThis & { chrome?: unknown }) | null;
  if (inner === null) return ['no window'];
  const page = window as Window & { chrome?: unknown };
  const getter = Object.getOwnPropertyDescriptor(Navigator.prototype, 'userAgent')?.get;
  const same: Record<string, boolean> = {
    self: inner === inner.self,
    userAgent: inner.navigator.userAgent === navigator.userAgent,
    webdriver: String(inner.navigator.webdriver) === 'false',
    platform: inner.navigator.platform === navigator.platform,
    chrome: Boolean(inner.chrome) === Boolean(page.chrome),
    languages: inner.navigator.languages.join() === navigator.languages.join(),
    plugins: inner.navigator.plugins.length === navigator.plugins.length,
    native: inner.Function.prototype.toString.call(getter).includes('[native code]'),
  };
  frame.remove();
  return Object.keys(same).filter((name) => same[name] !== true);
}

export async function abilityFacts(): Promise<AbilityFacts> {
  const video = document.createElement('video');
  const { connection } = navigator as Navigator & { connection?: { rtt: number } };
  const query = navigator.permissions.query({ name: 'notifications' }).then(({ state }) => state);
  const devices = navigator.mediaDevices.enumerateDevices().then((list) => list.map(({ kind }) => kind));
  const found = await withinLimit(devices, candidatesLimitMs);
  const candidates = await withinLimit(iceCandidates(), candidatesLimitMs);
  return {
    plugins: [...navigator.plugins].map(({ name }) => name),
    mimeTypes: [...navigator.mimeTypes].map(({ type }) => type),
    pdfViewer: navigator.pdfViewerEnabled,
    hasChrome: 'chrome' in window,
    notificationQuery: await withinLimit(query, candidatesLimitMs),
    notificationPermission: 'Notification' in window ? Notification.permission : 'none',
    connectionRtt: connection?.rtt ?? 0,
    mediaDevices: typeof found === 'string' ? [] : found,
    voices: await voiceCount(),
    h264: video.canPlayType('video/mp4; codecs="avc1.42E01E"'),
    aac: video.canPlayType('audio/aac'),
    iceCandidates: typeof candidates === 'string' ? [candidates] : candidates,
    navigatorOwnNames: Object.getOwnPropertyNames(navigator),
    automationNames: [...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(document)].filter((name) =>
      automationName.test(name),
    ),
    tampered: tamperedFunctions(),
    freshFrameDifferences: freshFrameDifferences(),
  };
}
