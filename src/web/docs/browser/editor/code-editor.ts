/** Edits JavaScript, for /function. Fetched on first use. */
import { javascript } from '@codemirror/lang-javascript';
import { createEditor, type Editor, type EditorOptions } from './editor.ts';

export function openEditor(options: () => EditorOptions | undefined): Promise<Editor | undefined> {
  const asked = options();
  return Promise.resolve(asked && createEditor(asked, javascript()));
}
