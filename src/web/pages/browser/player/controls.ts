/** Handles the buttons below the stage, and the keyboard. */
import { button, part } from '../dom/parts.ts';
import type { Player } from './show.ts';

/** How far an arrow key seeks, in milliseconds; Page Up and Page Down seek by a tenth of the length. */
const stepMs = 5_000;

export function createControls(show: Player): void {
  const toggle = () => (show.isPlaying ? show.pause() : show.play());
  button('play').addEventListener('click', toggle);

  const skip = button('skip');
  skip.addEventListener('click', () => {
    const on = skip.ariaPressed !== 'true';
    skip.ariaPressed = String(on);
    show.setSkipping(on);
  });

  const speed = part('speed', HTMLSelectElement);
  speed.addEventListener('change', () => show.setSpeed(Number(speed.value)));

  const screen = part('screen', HTMLElement);
  const fullScreen = button('full-screen');
  fullScreen.hidden = !document.fullscreenEnabled;
  fullScreen.addEventListener('click', () => {
    const isFull = document.fullscreenElement !== null;
    void (isFull ? document.exitFullscreen() : screen.requestFullscreen()).catch(() => undefined);
  });

  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return;
    const isSlider = target.id === 'track';
    // Elsewhere, keys belong to the focused element: Space presses a button, arrows scroll a list.
    if (!isSlider && target.closest('button, a, select, [role=tabpanel]:not(#stage)')) return;
    if (key === ' ') toggle();
    else {
      const to = placeOf(key, isSlider);
      if (to === undefined) return;
      show.seek(to);
    }
    event.preventDefault();
  });

  /** Returns the time to which a key seeks. Home, End and the like work only on the slider: elsewhere they scroll. */
  function placeOf(key: string, isSlider: boolean): number | undefined {
    const { ms, length } = show;
    if (key === 'ArrowLeft') return ms - stepMs;
    if (key === 'ArrowRight') return ms + stepMs;
    if (!isSlider) return undefined;
    const places: Record<string, number> = {
      ArrowDown: ms - stepMs,
      ArrowUp: ms + stepMs,
      PageDown: ms - length / 10,
      PageUp: ms + length / 10,
      Home: 0,
      End: length,
    };
    return places[key];
  }
}
