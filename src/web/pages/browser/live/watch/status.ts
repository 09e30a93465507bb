/** Shows the state of the view over the image and in the footer, and reports it to the embedding page. */
import type { DrawnFrame } from './frames.ts';
import { button, part, setText } from '../../dom/parts.ts';

type State = 'connecting' | 'live' | 'reconnecting' | 'ended';

/** The displayed frame rate is the average over this many seconds. */
const rateSeconds = 3;
/** The connection is considered slow when frames take this much longer than the fastest one. */
const slowMs = 1_000;
const quickMs = 500;

/** Formats seconds as 4:12, or as 1:02:03 from one hour on. */
export function clock(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const rest = two(seconds % 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

/** Formats seconds as 12 s, 4 min or 3 h. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** @param isBehind whether messages from this page wait for the connection */
export function createStatus(isBehind: () => boolean) {
  const { body } = document;
  let expiresAt: number | null = null;
  let drawnAt: number[] = [];
  let late = 0;
  let behindFor = 0;
  let mode = '';
  let lastState: State | undefined;
  const show = (id: string, text: string) => setText(part(id, HTMLElement), text);

  const setState = (state: State, reason?: string) => {
    if (lastState === state) return;
    lastState = state;
    body.dataset['state'] = state;
    // Anyone with the link may embed the page, and the message reveals nothing that the image does not show.
    if (parent !== window) parent.postMessage({ type: 'browserd.live', state, reason }, '*');
  };
  const showMessage = (title: string, text: string) => {
    show('veil-title', title);
    show('veil-text', text);
  };

  const tick = () => {
    const now = performance.now();
    drawnAt = drawnAt.filter((at) => now - at < rateSeconds * 1_000);
    show('rate', `${Math.round(drawnAt.length / rateSeconds)} fps`);
    behindFor = isBehind() ? behindFor + 1 : 0;
    setSlow(late >= 2 || behindFor >= 2);
    if (expiresAt === null) return;
    const seconds = Math.max(0, Math.round((expiresAt - Date.now()) / 1_000));
    show('countdown', `, or in ${clock(seconds)}`);
    show('remaining', `Link expires in ${formatDuration(seconds)}`);
  };
  const setSlow = (isSlow: boolean) => {
    show('speed', isSlow ? 'Slow connection' : '');
    body.classList.toggle('slow', isSlow);
  };
  const timer = setInterval(tick, 1_000);
  setState('connecting');

  return {
    hello(facts: { interactive: boolean; expiresAt: number | null }) {
      expiresAt = facts.expiresAt;
      mode = facts.interactive ? '' : 'View only';
      show('mode', mode);
      tick();
    },
    drawn({ width, height, lateMs }: DrawnFrame) {
      // Ignore a frame that was still being decoded when the view ended.
      if (lastState === 'ended') return;
      drawnAt.push(performance.now());
      late = lateMs > slowMs ? late + 1 : lateMs < quickMs ? 0 : late;
      show('page-size', `${width} × ${height}`);
      show('state', 'Live');
      showMessage('', '');
      setState('live');
    },
    lost(delayMs: number) {
      late = 0;
      setSlow(false);
      show('state', 'Offline');
      showMessage('Connection lost', delayMs < 1_000 ? 'Retrying' : `Retrying in ${Math.round(delayMs / 1_000)} s`);
      setState('reconnecting');
    },
    viewers: (count: number) => show('viewers', count === 1 ? '1 watching' : `${count} watching`),
    /** A dialog of the watched page that this viewer cannot answer; empty once it is closed. */
    dialog: (text: string) => show('mode', text || mode),
    end(reason: string, text: string) {
      clearInterval(timer);
      setSlow(false);
      for (const id of ['rate', 'remaining', 'mode', 'viewers']) show(id, '');
      show('state', 'Ended');
      showMessage(text, parent === window ? 'You can close this tab.' : '');
      for (const id of ['paste', 'open-keyboard', 'back', 'forward', 'reload', 'new-tab']) button(id).disabled = true;
      body.classList.toggle('good', reason === 'done');
      setState('ended', reason);
    },
  };
}
