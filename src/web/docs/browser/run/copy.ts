/** Copies text to the clipboard, also on plain HTTP. */
import { make } from '../shell/page-context.ts';

/** Uses a fallback when `navigator.clipboard` is missing, as on plain HTTP. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (done) return;
  }
  const area = make('textarea', { value: text, className: 'hidden' });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
