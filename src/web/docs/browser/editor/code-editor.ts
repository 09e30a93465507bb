/** The JavaScript editor for /function; loaded on first use. */
import { javascript } from '@codemirror/lang-javascript';
import { createEditor, type Editor, type EditorOptions } from './editor.ts';

export function openEditor(options: () => EditorOptions | undefined): Promise<Editor | undefined> {
  const editorOptions = options();
  return Promise.resolve(editorOptions && createEditor(editorOptions, javascript()));
}
