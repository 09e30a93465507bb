/** Copies or cuts the selected text of a page for a viewer. */
import type { CdpSession } from '../../../browser/cdp/connection.ts';
import type { KeyEvent } from './keys.ts';

/** An auto-repeated press of Ctrl (Input.dispatchKeyEvent). */
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
 * @param shared whether other browsers use the same clipboard: then nothing is written to it
 * @param read reads the selected text
 * @returns the selected text
 */
export async function copySelection(
  session: CdpSession,
  { cut, shared, read }: { cut: boolean; shared: boolean; read(): Promise<string> },
): Promise<string> {
  // Input is processed in order, but code that reads the page is not: wait for earlier input.
  await session.send('Input.dispatchKeyEvent', heldCtrl);
  const text = await read();
  const [own, other] = cut ? ['cut', 'delete'] : ['copy', undefined];
  const command = shared ? other : own;
  const key = cut ? 'x' : 'c';
  const event = { modifiers: 2, key, code: `Key${key.toUpperCase()}`, windowsVirtualKeyCode: cut ? 88 : 67 };
  // The page receives the same events as from a keyboard, and may write something else to the clipboard.
  const commands = command === undefined ? undefined : [command];
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...event, commands });
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  return text;
}
