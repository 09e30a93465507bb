/** Copies or cuts the selected text of a page for a viewer. */
import type { CdpSession } from '../../../browser/cdp/connection.ts';
import type { KeyEvent } from './keys.ts';

/** Ctrl, which repeats while it is held (Input.dispatchKeyEvent). */
const heldCtrl: KeyEvent = {
  type: 'rawKeyDown',
  modifiers: 2,
  key: 'Control',
  code: 'ControlLeft',
  windowsVirtualKeyCode: 17,
  location: 1,
  autoRepeat: true,
};

/**
 * Presses Ctrl and C or X in the page.
 * @param shared whether other browsers have the same clipboard: then nothing is put there
 * @param read reads the selected text
 * @returns the text that was selected
 */
export async function copySelection(
  session: CdpSession,
  { cut, shared, read }: { cut: boolean; shared: boolean; read(): Promise<string> },
): Promise<string> {
  // Input is handled in order, code that reads the page is not: wait for what was done before.
  await session.send('Input.dispatchKeyEvent', heldCtrl);
  const text = await read();
  const [own, other] = cut ? ['cut', 'delete'] : ['copy', undefined];
  const command = shared ? other : own;
  const key = cut ? 'x' : 'c';
  const event = { modifiers: 2, key, code: `Key${key.toUpperCase()}`, windowsVirtualKeyCode: cut ? 88 : 67 };
  // The page hears of it as of the keys, and may put something else into the clipboard.
  await session.send('Input.dispatchKeyEvent', {
    type: 'rawKeyDown',
    ...event,
    ...(command === undefined ? {} : { commands: [command] }),
  });
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  return text;
}
