/**
 * Finds the captchas on a page by the URLs of its frames and by its DOM, which is read in our isolated world so that
 * the page's scripts cannot notice it.
 */
import { readCaptchaMarks, tokenAround } from '../../injected/captcha/marks.ts';
import { callOn, type Handle, releaseHandles } from '../act/elements.ts';
import { frameElements } from '../act/frame-elements.ts';
import { ContextLost } from '../evaluate.ts';
import { listFrames, type PageFrame } from '../frames.ts';
import type { Page } from '../page.ts';
import { type CaptchaKind, captchaKinds, type CaptchaType, isInvisible, matchFrame } from './kinds.ts';

/** A captcha on a page. */
export interface Captcha {
  type: CaptchaType;
  /** Undefined for an image captcha, which does not belong to a vendor. */
  kind: CaptchaKind | undefined;
  /** The site's key at the vendor; '' when it is unknown. */
  key: string;
  /** The token of a solved widget; '' otherwise. */
  token: string;
  solved: boolean;
  /** True for a widget without a checkbox, which the page starts. */
  invisible: boolean;
  /** True for the vendor's enterprise edition. */
  enterprise: boolean;
  /** The vendor's frame; undefined for a widget without one. */
  frame: PageFrame | undefined;
  /** All frames of the page when the captcha was found. */
  frames: readonly PageFrame[];
}

type Marks = ReturnType<typeof readCaptchaMarks>;

const selectors = captchaKinds.map(({ elements }) => elements ?? '').filter((one) => one !== '');
const words = ['_cf_chl_opt', 'gokuProps', 'mtcaptchaConfig'];
const fields = [...new Set(captchaKinds.flatMap(({ field }) => field ?? []))];
/** Maximum number of widgets to examine on a page. */
const maxWidgets = 20;

/**
 * Finds the captchas on a page; those with frames come first.
 * @throws any error that the page throws, and ContextLost when a navigation interrupts the search
 */
export async function findCaptchas(page: Page): Promise<Captcha[]> {
  const frames = await listFrames(page);
  const marks = await page.evaluate(readCaptchaMarks, selectors, words, fields);
  const inFrames = frames.filter(({ url }) => captchaKinds.some((kind) => matchFrame(kind, url))).slice(0, maxWidgets);
  const widgets = await Promise.all(inFrames.map((frame) => widgetIn(page, frame, frames, marks)));
  const found = [...widgets.flatMap((one) => one ?? []), ...captchasOf(marks)];
  // The widget of a challenge page belongs to the challenge, which ends with a new document.
  const challenge = found.find(({ kind }) => kind?.interstitial);
  if (challenge) {
    const widget = found.find(({ type, frame }) => type === challenge.type && frame !== undefined);
    return [{ ...challenge, frame: widget?.frame, frames }];
  }
  if (found.length === 0 && marks.picture) found.push({ ...blank, type: 'normal', kind: undefined });
  return found.map((one) => ({ ...one, frames }));
}

const blank = {
  key: '',
  token: '',
  solved: false,
  invisible: false,
  enterprise: false,
  frame: undefined,
  frames: [],
} satisfies Partial<Captcha>;

/** Runs the work with the element that contains a vendor's frame. */
export async function withFrameElement<T>(
  page: Page,
  { frame, frames }: Pick<Captcha, 'frame' | 'frames'>,
  work: (element: Handle, around: readonly Handle[]) => Promise<T>,
): Promise<T> {
  if (!frame) throw new ContextLost('the captcha has no frame');
  const [element, ...around] = await frameElements(page, frame, frames);
  if (!element) throw new ContextLost('the frame of the captcha is gone');
  try {
    return await work(element, around);
  } finally {
    releaseHandles([element.frame]);
  }
}

async function widgetIn(
  page: Page,
  frame: PageFrame,
  frames: readonly PageFrame[],
  marks: Marks,
): Promise<Captcha | undefined> {
  const kind = captchaKinds.find((each) => keyInFrame(each, frame.url, marks) !== undefined);
  if (!kind) return undefined;
  const captcha: Captcha = {
    ...blank,
    type: kind.type,
    kind,
    key: keyInFrame(kind, frame.url, marks) ?? '',
    invisible: isInvisible(frame.url),
    enterprise: /\/enterprise\//.test(frame.url),
    frame,
    frames,
  };
  const { field } = kind;
  if (field === undefined) return captcha;
  try {
    captcha.token = await withFrameElement(page, captcha, (element) => callOn(page, element, tokenAround, field));
  } catch (error) {
    // The widget was removed while we looked.
    if (error instanceof ContextLost) return undefined;
    throw error;
  }
  captcha.solved = captcha.token !== '';
  return captcha;
}

/**
 * The key in the URL of a frame of this kind, '' when the URL has none; undefined when the frame is of a different
 * kind.
 */
function keyInFrame(kind: CaptchaKind, address: string, { scripts }: Marks): string | undefined {
  const { script } = kind;
  const match = matchFrame(kind, address);
  if (!match) return undefined;
  const key = match.groups?.['key'] ?? '';
  if (!script) return key;
  return scripts.some((one) => script.exec(one)?.groups?.['key'] === key) ? key : undefined;
}

/** The captchas that the main document shows without a frame. */
function captchasOf(marks: Marks): Captcha[] {
  return captchaKinds.flatMap((kind) => {
    const key = kind.frame ? undefined : keyInMarks(kind, marks);
    if (key === undefined) return [];
    const solved = kind.field !== undefined && marks.filled.includes(kind.field);
    return [{ ...blank, type: kind.type, kind, key, solved }];
  });
}

/** The key of a kind whose script and element, or inline script, are present; undefined when one is missing. */
function keyInMarks({ script, elements, inline }: CaptchaKind, marks: Marks): string | undefined {
  const inScript = firstMatch(script, marks.scripts);
  const inElements = elements === undefined ? null : (marks.keys[selectors.indexOf(elements)] ?? null);
  const inText = firstMatch(inline, [marks.inline]);
  if (!inScript || (elements !== undefined && inElements === null)) return undefined;
  if (elements === undefined && !inText) return undefined;
  return inText?.groups?.['key'] || inElements || inScript.groups?.['key'] || '';
}

function firstMatch(pattern: RegExp | undefined, texts: readonly string[]): RegExpExecArray | undefined {
  for (const text of texts) {
    const match = pattern?.exec(text);
    if (match) return match;
  }
  return undefined;
}
