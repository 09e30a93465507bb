/** Builds the pages of the service into dist/ui. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { PageSlots } from '../web/pages/serve/page-slots.ts';
import { bundle, importComponents } from './bundle.ts';
import { colorMode, pageScripts, pageStyles, replayFrame } from './bundles.ts';
import { hashOf } from './cache.ts';
import { buildFiles } from './once.ts';
import type { OutputFile } from './output.ts';

/** The files that the build depends on. */
const inputs = [
  'src/web/{pages,theme}/**/*.{ts,tsx,css,woff2}',
  'src/{build,base/assets}/*.ts',
  'src/{sessions/live,control/dashboard}/protocol/*.ts',
  'src/base/limits.ts',
  'public/favicon.svg',
  'package.json',
];

const pageNames: readonly (keyof PageSlots)[] = ['live', 'dashboard', 'sign-in', 'notice', 'player', 'replay'];

/**
 * @param root the root directory of the repository
 * @returns whether the pages were built
 */
export function buildUi(root: string): Promise<boolean> {
  return buildFiles(root, 'ui', { inputs, quality: 11, make: (_cache, scratch) => makePages(root, scratch) });
}

async function makePages(
  root: string,
  scratch: string,
): Promise<{ files: OutputFile[]; rest: { pages: Record<string, string> } }> {
  const text = await readFile(join(root, 'public/favicon.svg'), 'utf8');
  const icon = { path: `/_ui/favicon.${hashOf(text).slice(0, 8)}.svg`, type: 'image/svg+xml', text, lasting: true };
  const styles = await bundle(root, pageStyles);
  const frame = await bundle(root, replayFrame);
  const colors = await bundle(root, colorMode);
  const { module } = await importComponents<typeof import('../web/pages/pages.tsx')>(
    root,
    'src/web/pages/pages.tsx',
    scratch,
  );
  const files: OutputFile[] = [...styles.files, ...frame.files, ...colors.files, icon];
  const pages: Record<string, string> = {};
  for (const name of pageNames) {
    const scripts = pageScripts[name] && (await bundle(root, pageScripts[name]));
    const [script] = Object.values(scripts?.outputs ?? {});
    const page = module.renderPage(name, {
      script: script?.path ?? '',
      parts: script?.parts ?? [],
      inFrame: name === 'replay' ? (frame.outputs['replayer']?.path ?? '') : '',
      colorMode: colors.outputs['color-mode']?.path ?? '',
      font: styles.files.find(({ path }) => basename(path).startsWith('geist.'))?.path ?? '',
      style: styles.outputs[name]?.path ?? '',
      icon: icon.path,
    });
    pages[name] = `/page/${name}`;
    files.push(...(scripts?.files ?? []));
    files.push({ path: pages[name], type: 'text/html; charset=utf-8', text: page, lasting: false });
  }
  return { files, rest: { pages } };
}
