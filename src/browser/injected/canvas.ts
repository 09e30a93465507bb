/** Finds canvases whose drawing scripts cannot read, and shows one alone for a picture of it. */
import { rootsOf } from './style-rules.ts';

/** All canvases, including those in open shadow trees. */
export function canvasesOf(): HTMLCanvasElement[] {
  return rootsOf().flatMap((root) => [...root.querySelectorAll('canvas')]);
}

/**
 * The drawing as `data:` URL; undefined for one that is not empty but reads so: of WebGL once it has been shown, of a
 * worker, or with pixels of another origin.
 */
export function drawingOf(canvas: HTMLCanvasElement): string | undefined {
  try {
    const drawing = canvas.toDataURL();
    const pixels = canvas.width * canvas.height;
    // One color compresses well: most drawings need no comparison.
    if (pixels === 0 || drawing.length > 2_000 + pixels / 10) return drawing;
    const blank = document.createElement('canvas');
    blank.width = canvas.width;
    blank.height = canvas.height;
    let isBlank = drawing === blank.toDataURL();
    if (!isBlank) {
      // WebGL without an alpha channel.
      blank.getContext('2d')?.fillRect(0, 0, blank.width, blank.height);
      isBlank = drawing === blank.toDataURL();
    }
    return isBlank && !canvas.getContext('2d') ? undefined : drawing;
  } catch {
    return undefined;
  }
}

/**
 * Shows only this one of the canvases, at the top left. The page is not used afterwards.
 * @returns its size; undefined for one that is not shown
 */
export function isolateCanvas(index: number): { width: number; height: number } | undefined {
  const canvases = canvasesOf();
  const canvas = canvases[index];
  if (!canvas?.checkVisibility()) return undefined;
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(canvas);
  const width = canvas.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const height = canvas.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
  const only = new CSSStyleSheet();
  only.replaceSync(
    '*{visibility:hidden!important;background:none!important;color-scheme:normal!important}::backdrop{display:none!important}',
  );
  for (const root of rootsOf()) root.adoptedStyleSheets.push(only);
  for (const other of canvases)
    if (other.popover === 'manual') other.style.setProperty('visibility', 'hidden', 'important');
  const style = {
    all: 'initial',
    display: 'block',
    position: 'absolute',
    left: '0',
    top: '0',
    width: `${width}px`,
    height: `${height}px`,
    visibility: 'visible',
  };
  canvas.removeAttribute('style');
  for (const [name, value] of Object.entries(style)) canvas.style.setProperty(name, value, 'important');
  canvas.popover = 'manual';
  canvas.showPopover();
  scrollTo({ left: 0, top: 0, behavior: 'instant' });
  return { width, height };
}
