// Runs two well-known detectors: BotD, and FingerprintJS, whose values show how the browser differs from an untouched
// one.
import FingerprintJS from '@fingerprintjs/fingerprintjs';
import BotD from '@fingerprintjs/botd';
import { pause } from './pause.ts';
import type { BotVerdict } from './report.ts';

/** How long to wait between checks of the window size, in milliseconds, and how many times. */
const measurePauseMs = 25;
const measurePauses = 80;

export async function botVerdict(): Promise<BotVerdict> {
  // In every Chromium, a document that has just replaced another reports its window as 0 x 0 for a few milliseconds, or
  // for a tenth of a second on a busy machine; BotD takes it for a browser without a window.
  for (let attempt = 0; outerWidth === 0 && attempt < measurePauses; attempt++) await pause(measurePauseMs);
  const detector = await BotD.load({ monitoring: false });
  const verdict = detector.detect();
  const detections = Object.entries(detector.getDetections() ?? {});
  return {
    bot: verdict.bot,
    kind: verdict.bot ? verdict.botKind : '',
    detectors: detections.filter(([, { bot }]) => bot).map(([name]) => name),
  };
}

const maxValueLength = 200;

/** The text, or the start of its SHA-256 if it is long (canvas images). */
async function shortened(text: string): Promise<string> {
  if (text.length <= maxValueLength) return text;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `SHA-256 ${hex.slice(0, 16)}`;
}

/** FingerprintJS values by name, as JSON. */
export async function fingerprint(): Promise<Record<string, string>> {
  const agent = await FingerprintJS.load({ monitoring: false });
  const { components } = await agent.get();
  const values: Record<string, string> = {};
  for (const [name, component] of Object.entries(components)) {
    const text = 'value' in component ? (JSON.stringify(component.value) ?? 'undefined') : 'failed';
    values[name] = await shortened(text);
  }
  return values;
}
