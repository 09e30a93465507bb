/** Shows the timeline: the current position, markers for events, and a slider for pointer and keyboard. */
import { playerLimits } from '../../../../base/limits.ts';
import { part } from '../dom/parts.ts';
import type { TimelineEvent, IdleTime } from './timeline-events.ts';
import { clock } from './words.ts';

/** @param seek called with the time that the person wants to see, in milliseconds */
export function createTimeLine(seek: (ms: number) => void) {
  const track = part('track', HTMLElement);
  const marks = part('marks', HTMLElement);
  const done = part('done', HTMLElement);
  const knob = part('knob', HTMLElement);
  const now = part('now', HTMLElement);
  const total = part('length', HTMLElement);
  let placed: [element: HTMLElement, from: number, to: number][] = [];
  let length = 0;
  let time = 0;

  const share = (ms: number) => (length === 0 ? 0 : Math.min(1, Math.max(0, ms / length)) * 100);
  const place = (element: HTMLElement, from: number, to: number) => {
    element.style.left = `${share(from)}%`;
    if (to > from) element.style.width = `${share(to) - share(from)}%`;
  };
  const put = (kind: string, from: number, to: number) => {
    if (placed.length >= playerLimits.rows) return;
    const element = document.createElement('i');
    element.className = to > from ? 'idle' : 'mark';
    element.dataset['kind'] = kind;
    place(element, from, to);
    placed.push([element, from, to]);
    marks.append(element);
  };
  const describe = () => {
    track.setAttribute('aria-valuenow', String(Math.floor(time / 1_000)));
    track.setAttribute('aria-valuetext', `${clock(time)} of ${clock(length)}`);
  };

  const pointed = ({ clientX }: PointerEvent) => {
    const { left, width } = track.getBoundingClientRect();
    seek(Math.min(1, Math.max(0, (clientX - left) / width)) * length);
  };
  track.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    track.setPointerCapture(event.pointerId);
    pointed(event);
  });
  track.addEventListener('pointermove', (event) => {
    if (track.hasPointerCapture(event.pointerId)) pointed(event);
  });
  return {
    setLength(ms: number) {
      length = ms;
      track.setAttribute('aria-valuemax', String(Math.floor(ms / 1_000)));
      total.textContent = clock(ms);
      for (const [element, from, to] of placed) place(element, from, to);
      this.setTime(time);
    },
    setTime(ms: number) {
      const isOther = clock(ms) !== now.textContent;
      time = ms;
      done.style.width = `${share(ms)}%`;
      knob.style.left = `${share(ms)}%`;
      if (isOther) now.textContent = clock(ms);
      describe();
    },
    mark({ at, kind }: TimelineEvent) {
      if (kind === 'console' || kind === 'request') return;
      put(kind, at, at);
    },
    setIdle(times: readonly IdleTime[]) {
      for (const { from, to } of times) put('idle', from, to);
    },
    clear() {
      marks.replaceChildren();
      placed = [];
    },
  };
}
