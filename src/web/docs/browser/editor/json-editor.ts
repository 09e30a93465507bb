/** Edits the JSON bodies of REST requests. Fetched on first use. */
import { json } from '@codemirror/lang-json';
import { createEditor, type Editor, type EditorOptions } from './editor.ts';

export function openEditor(options: () => EditorOptions | undefined): Promise<Editor | undefined> {
  const asked = options();
  return Promise.resolve(asked && createEditor(asked, json()));
}
