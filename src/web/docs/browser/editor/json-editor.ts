/** Edits the JSON bodies of REST requests. Fetched on first use. */
import { json } from '@codemirror/lang-json';
import { opener } from './editor.ts';

export const openEditor = opener(() => Promise.resolve(json()));
