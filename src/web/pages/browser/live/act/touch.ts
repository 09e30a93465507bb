/** Sends single-finger touches on the image. Two fingers zoom the image, only in this window. */
import type { ViewerMessageOf } from '../../../../../sessions/live/protocol/messages.ts';
import type { Send } from '../watch/connection.ts';
import type { View } from '../watch/view.ts';

/** Returns the middle of two fingers and the distance between them, in pixels of the window. */
function spanOf(touches: TouchList): { x: number; y: number; apart: number } | undefined {
  const [one, two] = touches;
  if (one === undefined || two === undefined) return undefined;
  return {
    x: (one.clientX + two.clientX) / 2,
    y: (one.clientY + two.clientY) / 2,
    apart: Math.max(1, Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY)),
  };
}

/** @param focus called at the end of a touch, where phones let a script open their keyboard */
export function listenToTouch(canvas: HTMLCanvasElement, view: View, send: Send, focus: () => void): void {
  let move: ViewerMessageOf<'touch'> | undefined;
  let span: ReturnType<typeof spanOf>;
  let isPinching = false;

  const points = (touches: TouchList): ViewerMessageOf<'touch'>['p'] =>
    [...touches].slice(0, 10).map((touch) => ({ ...view.at(touch), id: Math.abs(touch.identifier) % 2 ** 31 }));
  const flush = () => {
    if (move !== undefined) send(move);
    move = undefined;
  };

  const on = (name: 'touchstart' | 'touchmove' | 'touchend' | 'touchcancel', react: (event: TouchEvent) => void) =>
    canvas.addEventListener(
      name,
      (event) => {
        // Prevents mouse events for the same touch, and the browser's own scrolling and zoom.
        event.preventDefault();
        react(event);
      },
      { passive: false },
    );

  on('touchstart', ({ targetTouches }) => {
    flush();
    if (targetTouches.length === 1) return send({ t: 'touch', k: 'start', p: points(targetTouches) });
    if (!isPinching) send({ t: 'touch', k: 'cancel', p: [] });
    isPinching = true;
    span = spanOf(targetTouches);
  });
  on('touchmove', ({ targetTouches }) => {
    if (!isPinching) {
      if (move === undefined) requestAnimationFrame(flush);
      move = { t: 'touch', k: 'move', p: points(targetTouches) };
      return;
    }
    const next = spanOf(targetTouches);
    if (span !== undefined && next !== undefined) view.zoom(next.apart / span.apart, span, next);
    span = next;
  });
  on('touchend', ({ targetTouches }) => {
    flush();
    if (!isPinching) {
      focus();
      return send({ t: 'touch', k: 'end', p: points(targetTouches) });
    }
    isPinching = targetTouches.length > 0;
    span = spanOf(targetTouches);
  });
  on('touchcancel', () => {
    move = undefined;
    if (!isPinching) send({ t: 'touch', k: 'cancel', p: [] });
    isPinching = false;
  });
}
