/**
 * Declares the messages between the page of a live view and the server: JSON in both directions, and images from the
 * server. Positions are CSS pixels of the watched page's viewport; `m` holds modifier keys as in CDP (1 Alt, 2 Ctrl,
 * 4 Meta, 8 Shift), `b` the pressed mouse buttons (1 left, 2 right, 4 middle).
 */
import * as v from 'valibot';
import { liveLimits } from '../../../base/limits.ts';

const whole = v.pipe(v.number(), v.integer());
const between = (least: number, most: number) => v.pipe(whole, v.minValue(least), v.maxValue(most));
const textUpTo = (characters: number) => v.pipe(v.string(), v.maxLength(characters));

const at = { x: between(0, liveLimits.pageWidth), y: between(0, liveLimits.pageHeight) };
const modifiers = between(0, 15);
const buttons = between(0, 31);
const press = { ...at, n: between(0, 4), b: buttons, c: between(1, 3), m: modifiers };
const nothing = {};

/** Messages from viewers, by their `t` field. */
export const viewerMessages = {
  /** The image with this number has been drawn. */
  ack: { seq: between(0, 2 ** 32 - 1) },
  /** Whether the viewer can see the image now. */
  visible: { on: v.boolean() },
  move: { ...at, b: buttons, m: modifiers },
  /** `n`: button, as MouseEvent.button. `c`: number of consecutive presses. */
  down: press,
  up: press,
  /** Pixels. */
  wheel: {
    ...at,
    dx: between(-liveLimits.wheelPixels, liveLimits.wheelPixels),
    dy: between(-liveLimits.wheelPixels, liveLimits.wheelPixels),
    m: modifiers,
  },
  /** `p`: the current touch points. */
  touch: {
    k: v.picklist(['start', 'move', 'end', 'cancel']),
    p: v.pipe(v.array(v.strictObject({ ...at, id: between(0, 2 ** 31 - 1) })), v.maxLength(10)),
  },
  /** `d`: pressed, not released. `kc`: KeyboardEvent.keyCode. `r`: repeated. `l`: KeyboardEvent.location. */
  key: {
    d: v.boolean(),
    key: textUpTo(32),
    code: textUpTo(32),
    kc: between(0, 255),
    r: v.boolean(),
    l: between(0, 3),
    m: modifiers,
  },
  /** The text that an input method is composing. */
  compose: { text: textUpTo(liveLimits.typedCharacters) },
  /** Text from an input method or a phone's keyboard. */
  text: { text: textUpTo(liveLimits.typedCharacters) },
  paste: { text: textUpTo(liveLimits.pasteCharacters) },
  /** Asks for the selected text. */
  copy: { cut: v.boolean() },
  /** The viewer's window has lost keyboard focus: pressed keys and buttons are released. */
  blur: nothing,
  /** The answer to `dialog`. `text`: the text typed into a prompt. */
  answer: { id: whole, accept: v.boolean(), text: textUpTo(liveLimits.typedCharacters) },
  /** The answer to `select` (index) or `picker` (value). */
  pick: {
    node: whole,
    index: v.optional(between(0, liveLimits.options)),
    value: v.optional(textUpTo(64)),
  },
  tab: { id: textUpTo(64) },
  closeTab: { id: textUpTo(64) },
  newTab: nothing,
  go: { url: textUpTo(liveLimits.addressCharacters) },
  back: nothing,
  forward: nothing,
  reload: nothing,
  /** The space that the viewer has for the image, in CSS pixels, and its device pixel ratio. */
  size: {
    w: between(200, liveLimits.pageWidth),
    h: between(200, liveLimits.pageHeight),
    dpr: v.pipe(v.number(), v.minValue(1), v.maxValue(2)),
  },
  /** The person has done what was asked, or cannot do it. */
  done: { failed: v.boolean(), note: textUpTo(liveLimits.noteCharacters) },
} as const;

type Shapes = typeof viewerMessages;

/**
 * The fields of a message. The conditional type avoids a proof that the compiler cannot give for all messages at once.
 */
type MembersOf<T extends keyof Shapes> =
  v.StrictObjectSchema<Shapes[T], undefined> extends infer Schema extends v.GenericSchema
    ? v.InferOutput<Schema>
    : never;

/** A message from a viewer. */
export type ViewerMessage = { [T in keyof Shapes]: { t: T } & MembersOf<T> }[keyof Shapes];

export type ViewerMessageOf<T extends keyof Shapes> = Extract<ViewerMessage, { t: T }>;

/** Left, top, width and height in CSS pixels of the watched page's viewport. */
export type Rect = readonly [number, number, number, number];

/** How a live view ended. */
export type EndReason = 'done' | 'failed' | 'closed' | 'timeout' | 'page-closed';

/** Messages from the server, besides images. */
export type ServerMessage =
  | {
      /** The first message. */
      t: 'hello';
      interactive: boolean;
      resizable: boolean;
      /** Whether tabs and the address bar are shown. */
      ui: boolean;
      /** What the person is asked to do; empty if nothing. */
      instructions: string;
      /** Epoch milliseconds at which the link expires; null for never. */
      expiresAt: number | null;
    }
  | { t: 'page'; url: string; title: string; loading: boolean; canBack: boolean; canForward: boolean }
  | { t: 'tabs'; tabs: readonly { id: string; title: string; url: string }[]; active: string }
  /** A value of the CSS property `cursor`. */
  | { t: 'cursor'; cursor: string }
  /** Whether a text field has the focus: its position, and its `inputmode` and `enterkeyhint`. */
  | { t: 'focus'; editable: boolean; rect: Rect; mode: string; hint: string }
  /** A pressed `<select>`: the viewer shows its own list over it. */
  | { t: 'select'; node: number; rect: Rect; options: readonly SelectOption[] }
  /** A pressed date, time or color field. `kind`: the type of an `<input>`. */
  | { t: 'picker'; node: number; kind: string; rect: Rect; value: string; min: string; max: string; step: string }
  | { t: 'dialog'; id: number; kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload'; message: string; value: string }
  /** The dialog has closed, for example because someone else answered it. */
  | { t: 'dialogGone'; id: number }
  /**
   * The page asks for files. Each file is sent with PUT to `upload`/<name>, relative to the live view's own URL. A POST
   * to `upload` itself gives the files to the page.
   */
  | { t: 'files'; upload: string; multiple: boolean; accept: string }
  /** A page has downloaded a file. `href` is its path, relative to the live view's own URL. */
  | { t: 'download'; name: string; href: string }
  | { t: 'copied'; text: string }
  /** Number of people who are watching. */
  | { t: 'viewers'; n: number }
  /** The last message. `text`: one sentence for the person. */
  | { t: 'end'; reason: EndReason | 'replaced'; text: string };

interface SelectOption {
  label: string;
  /** Empty outside an `<optgroup>`. */
  group: string;
  disabled: boolean;
  selected: boolean;
}

/**
 * Header before an image: kind (0 JPEG, 1 PNG; one byte), number (four), width and height in CSS pixels (two each), and
 * the server's clock in milliseconds when it was sent (four, modulo 2 ** 32; 0 for unknown). Big endian, the rest is
 * zero.
 */
export const imageHeaderBytes = 16;
