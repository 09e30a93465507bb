/**
 * Joins the many small files that the bundler makes for the server's start: to open and to link one costs more than to
 * run what is in it.
 */
import { basename, dirname, join } from 'node:path';
import { build, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild';

export interface WrittenFile {
  /** Its name, without a folder. */
  name: string;
  contents: Uint8Array;
}

/** Paths of the files that load with these entries, without those that load later. */
export function loadedWith({ outputs }: Metafile, entryPoints: readonly string[]): Set<string> {
  const loaded = new Set(Object.keys(outputs).filter((path) => entryPoints.includes(outputs[path]?.entryPoint ?? '')));
  // The iteration of a Set includes members added meanwhile.
  for (const path of loaded) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[imported]) loaded.add(imported);
    }
  }
  return loaded;
}

/** A file that is joined: where it goes, and what tells its exports from those of the others there. */
interface Part {
  home: string;
  suffix: string;
  exports: readonly string[];
}

/**
 * Puts what loads with `src/main.ts` into one file, but for that entry itself, and what then loads with `src/start/start.ts`
 * into another. A file that was joined is still there, and passes on what others import from it.
 * @param options of the first build
 * @param tag part of the names of both files, which must differ where the sources do
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
      plugins: [partsOf(name, texts, parts)],
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
    if (part) return [{ name, contents: Buffer.from(renamed(part, passedOn, part.home)) }];
    return name === 'main.js' ? [rebuild(name, texts.get(name) ?? '')] : [{ name, contents }];
  });
  return Promise.all([...joined, ...others]);
}

const passedOn = (own: string, other: string) => `${other} as ${own}`;

/** Names of exports are short, and the same in many files. */
const renamed = ({ exports, suffix }: Part, pair: (own: string, other: string) => string, from: string) =>
  `export{${exports.map((own) => pair(own, own + suffix)).join()}}from"./${from}";`;

/** Finds the files of the first build: those that belong into this one as they are, others where they are now. */
const partsOf = (home: string, texts: ReadonlyMap<string, string>, parts: ReadonlyMap<string, Part>): Plugin => ({
  name: 'files of the first build',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) => {
      const name = path.slice('./'.length);
      const part = parts.get(name);
      if (part === undefined || kind !== 'import-statement') return { path, external: true };
      // Of those elsewhere only the names that are used are imported.
      return { path: name, namespace: 'first build', sideEffects: part.home === home };
    });
    onLoad({ filter: /.*/, namespace: 'first build' }, ({ path }) => {
      const part = parts.get(path);
      const isInside = part === undefined || part.home === home;
      return { contents: isInside ? (texts.get(path) ?? '') : renamed(part, passedOn, part.home), loader: 'js' };
    });
  },
});
