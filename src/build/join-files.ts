/**
 * Joins the many small files that the bundler creates for the server's start: opening and linking a file costs more
 * than running its code.
 */
import { basename, dirname, join } from 'node:path';
import { build, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild';

export interface WrittenFile {
  /** File name, without a folder. */
  name: string;
  contents: Uint8Array;
}

/** Returns the paths of the files that load with these entries, without dynamically imported ones. */
export function loadedWith({ outputs }: Metafile, entryPoints: readonly string[]): Set<string> {
  const loaded = new Set(Object.keys(outputs).filter((path) => entryPoints.includes(outputs[path]?.entryPoint ?? '')));
  // Iterating over a Set includes members that are added during the iteration.
  for (const path of loaded) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[imported]) loaded.add(imported);
    }
  }
  return loaded;
}

/** A file that is joined: its target file, and a suffix that makes its exports unique there. */
interface Part {
  home: string;
  suffix: string;
  exports: readonly string[];
}

/**
 * Joins the files that load with `src/main.ts`, except that entry itself, into one file, and the further files that
 * load with `src/start/start.ts` into another. Each joined file still exists and re-exports what others import from it.
 * @param options options of the first build
 * @param tag part of the names of both files, which must differ when the sources differ
 */
export async function joinFiles(
  { outputFiles, metafile }: { outputFiles: readonly OutputFile[]; metafile: Metafile },
  options: BuildOptions,
  tag: string,
): Promise<WrittenFile[]> {
  const banner = `${options.banner?.['js'] ?? ''}\n`;
  const texts = new Map(
    outputFiles.map(({ path, text }) => [basename(path), text.startsWith(banner) ? text.slice(banner.length) : text]),
  );
  const [base, server] = [`base-${tag}.js`, `server-${tag}.js`];
  const first = loadedWith(metafile, ['src/main.ts']);
  const parts = new Map<string, Part>();
  for (const path of loadedWith(metafile, ['src/main.ts', 'src/start/start.ts'])) {
    const { entryPoint, exports = [] } = metafile.outputs[path] ?? {};
    const home = first.has(path) ? base : server;
    if (entryPoint !== 'src/main.ts') parts.set(basename(path), { home, suffix: `_${parts.size}`, exports });
  }
  const folder = dirname(outputFiles[0]?.path ?? '');
  const rebuild = async (name: string, text: string): Promise<WrittenFile> => {
    const { outputFiles: written } = await build({
      ...options,
      stdin: { contents: text, loader: 'js', resolveDir: folder },
      outfile: join(folder, name),
      splitting: false,
      write: false,
      plugins: [firstBuildPlugin(name, texts, parts)],
    });
    return { name, contents: written[0]?.contents ?? new Uint8Array() };
  };
  const joined = [base, server].map((home) => {
    const inside = [...parts].filter(([, part]) => part.home === home);
    return rebuild(
      home,
      inside.map(([name, part]) => renamed(part, (own, other) => `${own} as ${other}`, name)).join('\n'),
    );
  });
  const others = outputFiles.flatMap(({ path, contents }): (WrittenFile | Promise<WrittenFile>)[] => {
    const name = basename(path);
    const part = parts.get(name);
    if (part) return [{ name, contents: Buffer.from(renamed(part, reexported, part.home)) }];
    return name === 'main.js' ? [rebuild(name, texts.get(name) ?? '')] : [{ name, contents }];
  });
  return Promise.all([...joined, ...others]);
}

const reexported = (own: string, other: string) => `${other} as ${own}`;

/** Renames exports, because their names are short and the same in many files. */
const renamed = ({ exports, suffix }: Part, pair: (own: string, other: string) => string, from: string) =>
  `export{${exports.map((own) => pair(own, own + suffix)).join()}}from"./${from}";`;

/** Resolves files of the first build: inlines those of this joined file, and imports others from their new file. */
const firstBuildPlugin = (
  home: string,
  texts: ReadonlyMap<string, string>,
  parts: ReadonlyMap<string, Part>,
): Plugin => ({
  name: 'files of the first build',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) => {
      const name = path.slice('./'.length);
      const part = parts.get(name);
      if (part === undefined || kind !== 'import-statement') return { path, external: true };
      // From other files, import only the names that are used.
      return { path: name, namespace: 'first build', sideEffects: part.home === home };
    });
    onLoad({ filter: /.*/, namespace: 'first build' }, ({ path }) => {
      const part = parts.get(path);
      const isInside = part === undefined || part.home === home;
      return { contents: isInside ? (texts.get(path) ?? '') : renamed(part, reexported, part.home), loader: 'js' };
    });
  },
});
