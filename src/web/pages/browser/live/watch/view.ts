/** Fits the image into the available space, and converts positions in the window to positions in the watched page. */
import { liveLimits } from '../../../../../base/limits.ts';
import type { Rect } from '../../../../../sessions/live/protocol/messages.ts';

const maxZoom = 5;

interface Point {
  x: number;
  y: number;
}

/** A position in the window, as in events. */
interface Pointed {
  clientX: number;
  clientY: number;
}

export type View = ReturnType<typeof createView>;

const between = (least: number, value: number, most: number) => Math.max(least, Math.min(value, most));

export function createView(stage: HTMLElement, frame: HTMLElement, canvas: HTMLCanvasElement) {
  let width = 0;
  let height = 0;
  /** Pixels of this window per pixel of the watched page, before zooming. */
  let scale = 1;
  let zoom = 1;
  let left = 0;
  let top = 0;
  const placed = new Map<HTMLElement, Rect>();

  /** Returns the space for the image, in CSS pixels of this window. */
  const room = () => {
    const style = getComputedStyle(stage);
    return {
      width: stage.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight),
      height: stage.clientHeight - Number.parseFloat(style.paddingTop) - Number.parseFloat(style.paddingBottom),
    };
  };

  const put = (element: HTMLElement, [x, y, wide, high]: Rect) => {
    element.style.left = `${between(0, x, width) * scale}px`;
    element.style.top = `${between(0, y, height) * scale}px`;
    element.style.width = `${Math.max(24, wide * scale)}px`;
    element.style.height = `${Math.max(16, high * scale)}px`;
  };

  const transform = () => {
    frame.style.transform = zoom === 1 ? '' : `translate(${left}px, ${top}px) scale(${zoom})`;
  };

  const fit = () => {
    if (width === 0) return;
    const free = room();
    scale = Math.max(0.05, Math.min(free.width / width, free.height / height));
    canvas.style.width = `${Math.floor(width * scale)}px`;
    canvas.style.height = `${Math.floor(height * scale)}px`;
    zoom = 1;
    transform();
    for (const [element, rect] of placed) {
      if (element.isConnected) put(element, rect);
      else placed.delete(element);
    }
  };
  new ResizeObserver(fit).observe(stage);

  return {
    /** In CSS pixels of the watched page; 0 before the first frame. */
    get height() {
      return height;
    },
    room,
    setPage(wide: number, high: number) {
      if (wide === width && high === height) return;
      width = wide;
      height = high;
      fit();
    },
    /** Returns the position in the watched page, limited to the page, in whole pixels. */
    at({ clientX, clientY }: Pointed): Point {
      const box = canvas.getBoundingClientRect();
      const x = Math.round(((clientX - box.left) / (box.width || 1)) * width);
      const y = Math.round(((clientY - box.top) / (box.height || 1)) * height);
      return {
        x: between(0, x, Math.min(Math.max(0, width - 1), liveLimits.pageWidth)),
        y: between(0, y, Math.min(Math.max(0, height - 1), liveLimits.pageHeight)),
      };
    },
    /** Puts an element over a field of the watched page. */
    place(element: HTMLElement, rect: Rect) {
      placed.set(element, rect);
      put(element, rect);
    },
    /** Zooms around a point of the window, which stays under the fingers. */
    zoom(factor: number, from: Point, to: Point) {
      const box = frame.getBoundingClientRect();
      const next = between(1, zoom * factor, maxZoom);
      // Position of the frame without the shift.
      const startX = box.left - left;
      const startY = box.top - top;
      const grown = next / zoom;
      left = to.x - startX - (from.x - box.left) * grown;
      top = to.y - startY - (from.y - box.top) * grown;
      zoom = next < 1.02 ? 1 : next;
      // The image always covers the whole frame.
      left = zoom === 1 ? 0 : between(frame.offsetWidth * (1 - zoom), left, 0);
      top = zoom === 1 ? 0 : between(frame.offsetHeight * (1 - zoom), top, 0);
      transform();
    },
  };
}
