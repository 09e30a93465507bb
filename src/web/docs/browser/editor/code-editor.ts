/** The JavaScript editor for /function; loaded on first use. */
import { javascript } from '@codemirror/lang-javascript';
import { opener } from './editor.ts';

export const openEditor = opener(() => Promise.resolve(javascript()));
