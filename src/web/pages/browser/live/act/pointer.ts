/** Sends mouse and pen input on the image. touch.ts handles fingers. */
import { liveLimits } from '../../../../../base/limits.ts';
import type { ViewerMessageOf } from '../../../../../sessions/live/protocol/messages.ts';
import type { Send } from '../watch/connection.ts';
import { modifiersOf } from './modifiers.ts';
import type { View } from '../watch/view.ts';

/** Limits positions to one per frame of a 60 Hz screen, also on faster screens. */
const minIntervalMs = 15;
/** As in operating systems, clicks this close in time and position are treated as a double or triple click. */
const clicksApartMs = 500;
const clicksApartPixels = 5;
const mostClicks = 3;
const linePixels = 16;

export function listenToPointer(canvas: HTMLCanvasElement, view: View, send: Send, focus: () => void): void {
  let move: ViewerMessageOf<'move'> | undefined;
  let wheel: { x: number; y: number; dx: number; dy: number; m: number } | undefined;
  let scheduled = false;
  let flushedAt = 0;
  let last = { clientX: 0, clientY: 0, button: -1, at: 0, count: 0 };

  const flush = () => {
    if (move !== undefined) send(move);
    move = undefined;
    if (wheel === undefined) return;
    const dx = Math.round(wheel.dx);
    const dy = Math.round(wheel.dy);
    if (dx === 0 && dy === 0) return;
    const limited = (pixels: number) => Math.max(-liveLimits.wheelPixels, Math.min(pixels, liveLimits.wheelPixels));
    send({ t: 'wheel', x: wheel.x, y: wheel.y, dx: limited(dx), dy: limited(dy), m: wheel.m });
    wheel = undefined;
  };
  const onFrame = (now: number) => {
    if (now - flushedAt < minIntervalMs) return void requestAnimationFrame(onFrame);
    scheduled = false;
    flushedAt = now;
    flush();
  };
  const schedule = () => {
    if (!scheduled) requestAnimationFrame(onFrame);
    scheduled = true;
  };

  const press = (event: MouseEvent): Omit<ViewerMessageOf<'down'>, 't'> => ({
    ...view.at(event),
    n: Math.min(event.button, 4),
    b: event.buttons & 31,
    c: last.count,
    m: modifiersOf(event),
  });

  const countClicks = (event: MouseEvent) => {
    const isNext =
      event.button === last.button &&
      event.timeStamp - last.at < clicksApartMs &&
      Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) < clicksApartPixels;
    const count = isNext ? Math.min(last.count + 1, mostClicks) : 1;
    last = { clientX: event.clientX, clientY: event.clientY, button: event.button, at: event.timeStamp, count };
  };

  // Pointer events report only the first pressed button; mouse events report each one.
  canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointercancel', (event) => {
    if (event.pointerType !== 'touch') send({ t: 'blur' });
  });
  canvas.addEventListener('mousemove', (event) => {
    move = { t: 'move', ...view.at(event), b: event.buttons & 31, m: modifiersOf(event) };
    schedule();
  });
  canvas.addEventListener('mousedown', (event) => {
    event.preventDefault();
    focus();
    countClicks(event);
    flush();
    send({ t: 'down', ...press(event) });
  });
  canvas.addEventListener('mouseup', (event) => {
    event.preventDefault();
    flush();
    send({ t: 'up', ...press(event) });
  });
  for (const name of ['contextmenu', 'auxclick', 'dragstart'] as const) {
    canvas.addEventListener(name, (event) => event.preventDefault());
  }
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const unit = [1, linePixels, view.height][event.deltaMode] ?? 1;
      wheel = {
        ...view.at(event),
        dx: (wheel?.dx ?? 0) + event.deltaX * unit,
        dy: (wheel?.dy ?? 0) + event.deltaY * unit,
        m: modifiersOf(event),
      };
      schedule();
    },
    { passive: false },
  );
}
