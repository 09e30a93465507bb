/** Describes sessions, the queue, recordings and the last hour for the dashboard. */
import type { Limiter } from '../admission/limiter.ts';
import { dashboardLimits } from '../../base/limits.ts';
import type { LiveViews } from '../../sessions/live/live-views.ts';
import type { RecordingMeta } from '../../sessions/recording/meta.ts';
import type { Recordings } from '../../sessions/recording/recordings.ts';
import type { Session } from '../../sessions/lifecycle/session.ts';
import type { Period } from '../../base/telemetry/metrics.ts';
import type { Curves, QueueEntry, RecordingEntry, SessionEntry, PartialList } from './protocol/state.ts';
import { mainPage, type Titles } from './titles.ts';

/** Why a session cannot be watched; empty when it can. */
export function whyClosed({ attachable, facts, running }: Session): string {
  if (attachable) {
    if (attachable.auth !== undefined) return 'Protected by a client token';
    return mainPage(attachable) ? '' : 'No page';
  }
  if (!running) return 'Idle: no client or browser';
  const [, engine] = /^(\w+)Playwright$/.exec(facts.browser) ?? [];
  if (engine === undefined) return 'No preview for REST requests';
  return `No preview for ${/^(Firefox|WebKit|Webkit)$/.test(engine) ? engine : 'Playwright'}`;
}

/**
 * These characters change the direction of all following text: a title must not reorder the words of a question that
 * contains it (UAX #9).
 */
const directionControls = /[\u202A-\u202E\u2066-\u2069]/g;

const shownTitle = (title: string) => title.replace(directionControls, '').slice(0, dashboardLimits.titleCharacters);

export function describeSession(
  session: Session,
  { live, recordings, titles }: { live: LiveViews; recordings: Recordings; titles: Titles },
): SessionEntry {
  const { facts, attachable } = session;
  const closed = whyClosed(session);
  const title = attachable ? titles.of(attachable) : '';
  return {
    id: facts.id,
    title: shownTitle(title),
    route: facts.routePath[0] ?? '',
    browser: facts.browser.replace(/(?:CDP|Playwright)$/, ''),
    trackingId: facts.trackingId ?? null,
    startedOn: facts.startedOn,
    clients: session.numbConnected,
    viewers: attachable ? live.viewersOf(attachable) : 0,
    recording: attachable !== undefined && recordings.running(attachable) !== undefined,
    replay: attachable !== undefined && recordings.replay(attachable) !== undefined,
    mayRecord: attachable?.recordable === true && closed === '',
    closed,
  };
}

export function describeQueue({ waiting }: Limiter): PartialList<QueueEntry> {
  const shown = waiting.slice(0, dashboardLimits.queued).map(({ call, since }) => ({
    route: call?.route ?? '',
    trackingId: call?.trackingId ?? null,
    since,
  }));
  return { shown, total: waiting.length };
}

/** @param meta the metadata of a recording that has finished */
export function describeRecording(meta: RecordingMeta): RecordingEntry {
  const { id, kind, tabs, state, startedOn, endedOn } = meta;
  const named = tabs.find(({ title, website }) => title !== '' || (website !== '' && website !== 'about:blank'));
  const title = named?.title || named?.website || meta.trackingId || meta.session;
  return {
    id,
    title: shownTitle(title),
    kind,
    tabs: tabs.length,
    isCutShort: state === 'cut short',
    lengthMs: Math.max(0, (endedOn ?? startedOn) - startedOn),
    bytes: tabs.reduce((sum, tab) => sum + tab.bytes + tab.eventBytes, 0),
    endedOn: endedOn ?? startedOn,
    video: tabs.find(({ bytes }) => bytes > 0)?.tab ?? null,
  };
}

const hourMs = 3_600_000;
const percent = (share: number | null) => Math.round((share ?? 0) * 100);

/**
 * The curves for the last hour.
 * @param periods the periods, the oldest first
 * @param now the time in epoch milliseconds
 */
export function curvesOf(periods: readonly Period[], now: number): Curves {
  const last = periods.filter(({ date }) => date > now - hourMs && date <= now);
  return {
    running: last.map(({ maxConcurrent }) => maxConcurrent),
    waiting: last.map(({ queued }) => queued),
    cpu: last.map(({ cpu }) => percent(cpu)),
    memory: last.map(({ memory }) => percent(memory)),
  };
}
