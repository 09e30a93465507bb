/**
 * Declares what the page of a live view and the server say to each other: JSON both ways, and pictures from the server.
 * Positions are CSS pixels of the watched page's viewport; `m` holds modifier keys as CDP does (1 Alt, 2 Ctrl, 4 Meta, 8
 * Shift), `b` the pressed buttons of a mouse (1 left, 2 right, 4 middle).
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

/** What a viewer sends, by its member `t`. */
export const viewerMessages = {
  /** The picture with this number is drawn. */
  ack: { seq: between(0, 2 ** 32 - 1) },
  /** Whether the viewer can see the picture now. */
  visible: { on: v.boolean() },
  move: { ...at, b: buttons, m: modifiers },
  /** `n`: button, as MouseEvent.button. `c`: how many presses follow one another. */
  down: press,
  up: press,
  /** Pixels. */
  wheel: {
    ...at,
    dx: between(-liveLimits.wheelPixels, liveLimits.wheelPixels),
    dy: between(-liveLimits.wheelPixels, liveLimits.wheelPixels),
    m: modifiers,
  },
  /** `p`: the points that touch now. */
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
  /** Text as an input method, or the keyboard of a phone, has made it. */
  text: { text: textUpTo(liveLimits.typedCharacters) },
  paste: { text: textUpTo(liveLimits.pasteCharacters) },
  /** Asks for the selected text. */
  copy: { cut: v.boolean() },
  /** The window of the viewer has lost the keyboard: pressed keys and buttons are released. */
  blur: nothing,
  /** The answer to `dialog`. `text`: what was typed into a prompt. */
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
  /** The room that the viewer has for the picture, in CSS pixels, and its device pixel ratio. */
  size: {
    w: between(200, liveLimits.pageWidth),
    h: between(200, liveLimits.pageHeight),
    dpr: v.pipe(v.number(), v.minValue(1), v.maxValue(2)),
  },
  /** The person is done with what was asked, or cannot do it. */
  done: { failed: v.boolean(), note: textUpTo(liveLimits.noteCharacters) },
} as const;

type Shapes = typeof viewerMessages;

/** The members of a message. The condition spares the compiler a proof that it cannot give for all messages at once. */
type MembersOf<T extends keyof Shapes> =
  v.StrictObjectSchema<Shapes[T], undefined> extends infer Schema extends v.GenericSchema
    ? v.InferOutput<Schema>
    : never;

/** A message of a viewer. */
export type ViewerMessage = { [T in keyof Shapes]: { t: T } & MembersOf<T> }[keyof Shapes];

export type ViewerMessageOf<T extends keyof Shapes> = Extract<ViewerMessage, { t: T }>;

/** Left, top, width and height in CSS pixels of the watched page's viewport. */
export type Rect = readonly [number, number, number, number];

/** How a live view ended. */
export type EndReason = 'done' | 'failed' | 'closed' | 'timeout' | 'page-closed';

/** What the server sends beside pictures. */
export type ServerMessage =
  | {
      /** The first message. */
      t: 'hello';
      interactive: boolean;
      resizable: boolean;
      /** Whether tabs and the address bar are shown. */
      ui: boolean;
      /** What the person is asked to do; empty for nothing. */
      instructions: string;
      /** Epoch milliseconds at which the link ends by itself; null for never. */
      expiresAt: number | null;
    }
  | { t: 'page'; url: string; title: string; loading: boolean; canBack: boolean; canForward: boolean }
  | { t: 'tabs'; tabs: readonly { id: string; title: string; url: string }[]; active: string }
  /** A value of the CSS property `cursor`. */
  | { t: 'cursor'; cursor: string }
  /** Whether a field that takes text has the focus: its place, and the `inputmode` and `enterkeyhint` of it. */
  | { t: 'focus'; editable: boolean; rect: Rect; mode: string; hint: string }
  /** A pressed `<select>`: the viewer shows a list of its own over it. */
  | { t: 'select'; node: number; rect: Rect; options: readonly SelectOption[] }
  /** A pressed date, time or colour field. `kind`: the type of an `<input>`. */
  | { t: 'picker'; node: number; kind: string; rect: Rect; value: string; min: string; max: string; step: string }
  | { t: 'dialog'; id: number; kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload'; message: string; value: string }
  /** The dialog was answered by someone else. */
  | { t: 'dialogGone'; id: number }
  /**
   * The page asks for files. Each goes with PUT to a path below this one, which is below the page's own address: its name.
   * A POST to the path itself gives them to the page.
   */
  | { t: 'files'; upload: string; multiple: boolean; accept: string }
  /** A page has downloaded a file, which is at this path below the page's own address. */
  | { t: 'download'; name: string; href: string }
  | { t: 'copied'; text: string }
  /** How many people watch. */
  | { t: 'viewers'; n: number }
  /** The last message. `text`: one sentence for the person. */
  | { t: 'end'; reason: EndReason | 'replaced'; text: string };

interface SelectOption {
  label: string;
  /** Empty outside of an `<optgroup>`. */
  group: string;
  disabled: boolean;
  selected: boolean;
}

/**
 * Bytes before a picture: kind (0 JPEG, 1 PNG; one byte), number (four), width and height in CSS pixels (two each), and
 * the server's clock in milliseconds when it was sent (four, modulo 2 ** 32; 0 for unknown). Big endian, the rest is zero.
 */
export const pictureHeadBytes = 16;
