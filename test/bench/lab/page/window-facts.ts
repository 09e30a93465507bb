// Reads facts about the window: its geometry, pointer, fonts, colors and frame rate.
import { pause } from './pause.ts';
import type { Size, WindowFacts } from './report.ts';

const framesMeasured = 20;
const frameLimitMs = 2_500;

const fontList = [
  'Arial',
  'Times New Roman',
  'Courier New',
  'Verdana',
  'Georgia',
  'Helvetica',
  'DejaVu Sans',
  'Liberation Sans',
  'Noto Sans',
  'Ubuntu',
  'Cantarell',
  'Segoe UI',
  'Calibri',
  'Roboto',
  'Noto Color Emoji',
];

/** Measures an element that is in the document only for that long. */
function measured<T>(tag: 'div' | 'span', style: string, measure: (element: HTMLElement) => T): T {
  const element = document.createElement(tag);
  element.style.cssText = style;
  document.body.append(element);
  const result = measure(element);
  element.remove();
  return result;
}

function scrollbarWidth(): number {
  const style = 'width:100px;height:100px;overflow:scroll;position:absolute;top:-999px';
  return measured('div', style, (element) => element.offsetWidth - element.clientWidth);
}

/** A family is installed when text in it differs in size from the same text in a generic family. */
function installedFonts(): string[] {
  return measured('span', 'position:absolute;left:-9999px;font-size:72px', (element) => {
    element.textContent = 'mmmmmmmmmmlli';
    const sizeIn = (family: string) => {
      element.style.fontFamily = family;
      return `${element.offsetWidth}x${element.offsetHeight}`;
    };
    const generic = ['monospace', 'serif', 'sans-serif'];
    const known = new Map(generic.map((family) => [family, sizeIn(family)]));
    return fontList.filter((font) => generic.some((base) => sizeIn(`"${font}", ${base}`) !== known.get(base)));
  });
}

async function framePaceMs(): Promise<number> {
  const began = performance.now();
  let frames = 0;
  const counted = new Promise<void>((resolve) => {
    const step = () => {
      if (++frames === framesMeasured) resolve();
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  await Promise.race([counted, pause(frameLimitMs)]);
  return Math.round((performance.now() - began) / Math.max(1, frames));
}

/** Sizes of the viewport, the window and the screen. */
export function geometry(): { inner: Size; outer: Size; screen: Size } {
  return {
    inner: { width: innerWidth, height: innerHeight },
    outer: { width: outerWidth, height: outerHeight },
    screen: { width: screen.width, height: screen.height },
  };
}

export async function windowFacts(): Promise<WindowFacts> {
  return {
    ...geometry(),
    availableScreen: { width: screen.availWidth, height: screen.availHeight },
    scrollbar: scrollbarWidth(),
    finePointer: matchMedia('(pointer: fine)').matches,
    hover: matchMedia('(hover: hover)').matches,
    focused: document.hasFocus(),
    visible: document.visibilityState === 'visible',
    activeText: measured('div', 'background-color:ActiveText', (element) => getComputedStyle(element).backgroundColor),
    fonts: installedFonts(),
    framePaceMs: await framePaceMs(),
  };
}
