/** Lists what browsers load from this server: the entry of each script and style sheet, and its URL. */

import type { PageSlots } from '../web/pages/serve/page-slots.ts';

export interface Bundle {
  /** Paths of the entry modules, relative to the root of the repository. */
  entries: readonly string[];
  /** The URL without the extension; `[name]` and `[hash]` are those of the output. With a hash, it may be cached forever. */
  to: `/${string}`;
  /** The URL of scripts that several modules of the bundle import, or that one imports on demand. Default: `to`. */
  chunks?: `/${string}`;
  /** `esm` for modules (the default), `iife` for scripts that are not modules. */
  format?: 'esm' | 'iife';
  /** The global variable to which an `iife` assigns the exports of its entry. */
  globalName?: string;
}

const under = (folder: string, ...names: string[]): string[] => names.map((name) => `${folder}/${name}`);
const inPages = 'src/web/pages/browser';
const inDocs = 'src/web/docs/browser';

/** The scripts of the service's pages. They share no files: a shared chunk would be one more request for each page. */
export const pageScripts: Readonly<Partial<Record<keyof PageSlots, Bundle>>> = {
  live: {
    entries: under(inPages, 'live/main.ts'),
    to: '/_ui/live.[hash]',
    chunks: '/_ui/live-[name].[hash]',
  },
  dashboard: { entries: under(inPages, 'dashboard/main.ts'), to: '/_ui/dashboard.[hash]' },
  player: { entries: under(inPages, 'player/main.ts'), to: '/_ui/player.[hash]' },
  replay: { entries: under(inPages, 'replay/frame.ts'), to: '/_ui/replay.[hash]' },
};

/** A document with an opaque origin, which the player creates, could load modules only with CORS. */
export const replayFrame: Bundle = {
  entries: under(inPages, 'replay/replayer.ts'),
  to: '/_ui/replay-frame.[hash]',
  format: 'iife',
};

/** The color switch; not a module, because it restores the choice before the first paint. */
export const colorMode: Bundle = {
  entries: under(inPages, 'color-mode.ts'),
  to: '/_ui/color-mode.[hash]',
  format: 'iife',
};

/** A style sheet for each page of the service, with the name of the page. */
export const pageStyles: Bundle = {
  entries: under('src/web/pages/styles', 'live.css', 'dashboard.css', 'sign-in.css', 'notice.css', 'player.css'),
  to: '/_ui/[name].[hash]',
};

/** The script of every page of the documentation. */
export const docsScript: Bundle = { entries: under(inDocs, 'main.ts'), to: '/_docs/main.[hash]' };

/** Scripts that a page of the documentation loads on first use. */
export const lazyScripts: Bundle = {
  entries: under(
    inDocs,
    'search/search-box.ts',
    'search/ask-dialog.tsx',
    'search/mark-words.ts',
    'editor/bql-editor.ts',
    'editor/code-editor.ts',
    'editor/json-editor.ts',
    'request-editor/request-editor.tsx',
  ),
  to: '/_docs/[name].[hash]',
};

export const searchWorker: Bundle = {
  entries: under(inDocs, 'search/search-worker.ts'),
  to: '/_docs/search-worker.[hash]',
  format: 'iife',
};

/** Every page of the documentation contains it as text. */
export const inlineScript: Bundle = { entries: under(inDocs, 'shell/inline.js'), to: '/inline', format: 'iife' };

export const docsStyle: Bundle = { entries: ['src/web/docs/styles/docs.css'], to: '/_docs/docs.[hash]' };

/** The scripts for recording pages. */
export const recorderBundles: readonly Bundle[] = [
  { entries: ['src/sessions/recording/recorder/no-traces.ts'], to: '/no-traces', format: 'iife' },
  {
    entries: ['src/sessions/recording/recorder/recorder.ts'],
    to: '/recorder',
    format: 'iife',
    globalName: 'browserdRecorder',
  },
];
