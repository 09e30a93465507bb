/**
 * Sends a viewer's mouse, touch and keyboard input to the page. Commands are sent in order and never awaited: a page
 * that is slow to respond must not delay the next press.
 */
import { ignoreFailures } from '../../../browser/cdp/auto-attach.ts';
import type { CdpSession, CommandParams, Commands } from '../../../browser/cdp/connection.ts';
import { type KeyEvent, keyEffect } from './keys.ts';
import type { ViewerMessage, ViewerMessageOf } from '../protocol/messages.ts';

/** Minimum time between mouse moves sent to the page, in ms: a page does not render more often. */
const moveMs = 16;

type MouseEvent = CommandParams<'Input.dispatchMouseEvent'>;

/** Indexed by MouseEvent.button. */
const buttonNames = ['left', 'middle', 'right', 'back', 'forward'] as const;
/** The bits of MouseEvent.buttons, for the same buttons. */
const buttonBits = [1, 4, 2, 8, 16] as const;

export interface InputOptions {
  session: CdpSession;
  /** Whether the browser has its own shortcuts. */
  full: boolean;
  go(direction: 'back' | 'forward'): void;
}

export class Input implements Disposable {
  readonly #options: InputOptions;
  #move: MouseEvent | undefined;
  #movedAt = 0;
  #moving: ReturnType<typeof setTimeout> | undefined;
  /** Last position of the mouse. */
  #x = 0;
  #y = 0;
  readonly #pressed = new Set<number>();
  /** Keys that are down, by code. */
  readonly #keys = new Map<string, KeyEvent>();
  /** Number of fingers on the page. */
  #touches = 0;

  constructor(options: InputOptions) {
    this.#options = options;
  }

  /** Handles input messages and ignores all others. */
  take(message: ViewerMessage): void {
    switch (message.t) {
      case 'move':
        return this.#moveTo(message);
      case 'down':
      case 'up':
        return this.#press(message);
      case 'wheel':
        return this.#wheel(message);
      case 'touch':
        return this.#touch(message);
      case 'key':
        return this.#key(message);
      case 'compose': {
        const { length } = message.text;
        return this.#send('Input.imeSetComposition', {
          text: message.text,
          selectionStart: length,
          selectionEnd: length,
        });
      }
      case 'text':
      case 'paste':
        return this.#send('Input.insertText', { text: message.text });
      case 'blur':
        void this.release();
    }
  }

  /**
   * Releases the keys, buttons and fingers that are down, because the viewer can no longer see them being released.
   * @returns a promise that resolves when the browser has released them
   */
  async release(): Promise<void> {
    const { session } = this.#options;
    const sent: Promise<unknown>[] = [];
    for (const button of this.#pressed) {
      const [x, y] = [this.#x, this.#y];
      const released = { type: 'mouseReleased', x, y, button: buttonNames[button] ?? 'left', clickCount: 1 } as const;
      sent.push(session.send('Input.dispatchMouseEvent', released));
    }
    this.#pressed.clear();
    for (const { text: _, unmodifiedText: __, commands: ___, autoRepeat: ____, ...event } of this.#keys.values()) {
      sent.push(session.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' }));
    }
    this.#keys.clear();
    if (this.#touches > 0)
      sent.push(session.send('Input.dispatchTouchEvent', { type: 'touchCancel', touchPoints: [] }));
    this.#touches = 0;
    await Promise.allSettled(sent);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#moving);
  }

  #moveTo({ x, y, b, m }: ViewerMessageOf<'move'>): void {
    [this.#x, this.#y] = [x, y];
    const held = buttonBits.findIndex((bit) => (b & bit) !== 0);
    this.#move = { type: 'mouseMoved', x, y, buttons: b, modifiers: m, button: buttonNames[held] ?? 'none' };
    const waitMs = this.#movedAt + moveMs - performance.now();
    if (waitMs <= 0) this.#flush();
    else this.#moving ??= setTimeout(() => this.#flush(), waitMs);
  }

  /** Sends the newest move. */
  #flush(): void {
    clearTimeout(this.#moving);
    this.#moving = undefined;
    if (!this.#move) return;
    this.#movedAt = performance.now();
    this.#mouse(this.#move);
    this.#move = undefined;
  }

  #press({ t, x, y, n, b, c, m }: ViewerMessageOf<'down'> | ViewerMessageOf<'up'>): void {
    this.#flush();
    [this.#x, this.#y] = [x, y];
    // Ignore presses of a button that is down, and releases of one that is up.
    if (this.#pressed.has(n) === (t === 'down')) return;
    if (t === 'down') this.#pressed.add(n);
    else this.#pressed.delete(n);
    this.#mouse({
      type: t === 'down' ? 'mousePressed' : 'mouseReleased',
      x,
      y,
      buttons: b,
      button: buttonNames[n] ?? 'left',
      clickCount: c,
      modifiers: m,
    });
  }

  #wheel({ x, y, dx, dy, m }: ViewerMessageOf<'wheel'>): void {
    this.#flush();
    this.#mouse({ type: 'mouseWheel', x, y, deltaX: dx, deltaY: dy, modifiers: m });
  }

  /** Chromium treats points missing from an event as lifted, and requires the last event to have none. */
  #touch({ k, p }: ViewerMessageOf<'touch'>): void {
    if (this.#touches === 0 && k !== 'start') return;
    const over = k === 'cancel' || (k === 'end' && p.length === 0);
    if (!over && p.length === 0) return;
    this.#touches = over ? 0 : p.length;
    const type = over ? (k === 'cancel' ? 'touchCancel' : 'touchEnd') : k === 'start' ? 'touchStart' : 'touchMove';
    this.#send('Input.dispatchTouchEvent', { type, touchPoints: over ? [] : p.map(({ x, y, id }) => ({ x, y, id })) });
  }

  #key(message: ViewerMessageOf<'key'>): void {
    const effect = keyEffect(message, this.#options.full);
    if (!effect) return;
    if ('go' in effect) return this.#options.go(effect.go);
    const { event } = effect;
    const id = message.code || message.key;
    if (message.d) this.#keys.set(id, event);
    // A release without a press means that the key was pressed elsewhere.
    else if (!this.#keys.delete(id)) return;
    this.#send('Input.dispatchKeyEvent', event);
  }

  #mouse(event: MouseEvent): void {
    this.#send('Input.dispatchMouseEvent', event);
  }

  #send<M extends Extract<keyof Commands, `Input.${string}`>>(method: M, params: CommandParams<M>): void {
    ignoreFailures([this.#options.session.send(method, params)]);
  }
}
