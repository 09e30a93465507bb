/**
 * Handles presses on `<select>`, date, time and color fields: their lists and dialogs are browser windows that do not
 * appear in captured images, so the viewer shows its own. Also reads page state for the viewer: the focused field, the
 * cursor, the selected text.
 */
import type { CdpSession } from '../../../browser/cdp/connection.ts';
import { cursorAt, focusedField, selectedText } from '../../../browser/injected/live/look.ts';
import { openPicker, type Picker, setPicked } from '../../../browser/injected/live/pickers.ts';
import { liveLimits } from '../../../base/limits.ts';
import { type PageFunction, toDeclaration, toExpression } from '../../../browser/page/page-function.ts';
import type { ServerMessage, ViewerMessageOf } from '../protocol/messages.ts';

/** Object group for the handles, so that one command releases them all. */
const objectGroup = 'browserd-live';

export class Pickers {
  readonly #session: CdpSession;
  readonly #mainFrameId: string;
  readonly #send: (message: ServerMessage) => void;
  /** The isolated world of the main frame; undefined until it is needed, and after a navigation. */
  #world: Promise<number> | undefined;
  /** The control that viewers currently see a picker for. */
  #offered: { node: number; objectId: string } | undefined;
  #node = 0;

  constructor(session: CdpSession, mainFrameId: string, send: (message: ServerMessage) => void) {
    this.#session = session;
    this.#mainFrameId = mainFrameId;
    this.#send = send;
  }

  /**
   * Offers the viewers the control at a position of the viewport, if it is a picker.
   * @returns false when it is not a picker: then the press is sent to the page
   */
  async offer(x: number, y: number): Promise<boolean> {
    const { backendNodeId, frameId } = await this.#session.send('DOM.getNodeForLocation', { x, y });
    const { executionContextId } = await this.#session.send('Page.createIsolatedWorld', { frameId, worldName });
    const { object } = await this.#session.send('DOM.resolveNode', { backendNodeId, executionContextId, objectGroup });
    const { objectId } = object;
    if (objectId === undefined) return false;
    const picker = await this.#call<Picker | null>(objectId, openPicker, [liveLimits.options]);
    if (!picker) return false;
    this.#offered = { node: ++this.#node, objectId };
    const { kind, place: rect, options, ...input } = picker;
    this.#send(
      kind === 'select'
        ? { t: 'select', node: this.#node, rect, options }
        : { t: 'picker', node: this.#node, kind, rect, ...input },
    );
    return true;
  }

  /** Sets the value that a viewer has picked, if it belongs to the control offered last. */
  async pick({ node, index = -1, value = '' }: ViewerMessageOf<'pick'>): Promise<void> {
    if (!this.#offered || this.#offered.node !== node) return;
    const { objectId } = this.#offered;
    this.#offered = undefined;
    await this.#call(objectId, setPicked, [index, value]);
    await this.#session.send('Runtime.releaseObjectGroup', { objectGroup });
  }

  /** Sends viewers the field that has the focus. */
  async sendFocus(): Promise<void> {
    const { place: rect, ...field } = await this.#evaluate(focusedField);
    this.#send({ t: 'focus', rect, ...field });
  }

  /** Sends viewers the mouse cursor at a position. */
  async sendCursor(x: number, y: number): Promise<void> {
    this.#send({ t: 'cursor', cursor: await this.#evaluate(cursorAt, x, y) });
  }

  selected(): Promise<string> {
    return this.#evaluate(selectedText, liveLimits.pasteCharacters);
  }

  /** Discards state of the previous document. */
  navigated(): void {
    this.#world = undefined;
    this.#offered = undefined;
  }

  async #evaluate<Args extends readonly unknown[], Result>(
    fn: PageFunction<Args, Result>,
    ...args: Args
  ): Promise<Result> {
    this.#world ??= this.#session
      .send('Page.createIsolatedWorld', { frameId: this.#mainFrameId, worldName })
      .then(({ executionContextId }) => executionContextId);
    try {
      const contextId = await this.#world;
      const expression = toExpression(fn, args);
      const { result } = await this.#session.send('Runtime.evaluate', { expression, contextId, returnByValue: true });
      return result.value;
    } catch (error) {
      // The document of that world no longer exists.
      this.#world = undefined;
      throw error;
    }
  }

  // Only the caller knows the result's type: the protocol declares it as `any`.
  async #call<Result>(objectId: string, fn: PageFunction<never, unknown>, args: readonly unknown[]): Promise<Result> {
    const { result } = await this.#session.send('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: toDeclaration(fn),
      arguments: args.map((value) => ({ value })),
      returnByValue: true,
    });
    return result.value;
  }
}

/** All live views of a page share one world. */
const worldName = '';
