// Which test files run, on which runtimes, and how: from the marks in the header comment of each file.
//   // @tier ci             not in `npm test`, only in CI and in `npm run test:all`: long, or a variant of another test
//   // @tier full           only with --full, as in `npm run release:check`: measurements, repeats with more input
//   // @alone               runs while no other file does, because it asserts a time
//   // @runs deno binary    CI also runs it on these runtimes
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/**
 * `node` is the Node that package.json pins: servers in the process of the test run from the sources, server processes
 * from the bundle. `newest` is the newest Node, `process` the pinned one with browser processes for socket clients
 * (SESSION_ISOLATION=process), `bundle` and `binary` run every server as a process, from dist/server or as the single
 * binary, which is built first.
 */
export const runtimes = ['node', 'newest', 'deno', 'process', 'bundle', 'binary'] as const;
export type Runtime = (typeof runtimes)[number];

const tiers = ['basic', 'ci', 'full'] as const;
type Tier = (typeof tiers)[number];

export interface TestFile {
  /** Path below the root, such as `test/unit/bytes.test.ts`. */
  path: string;
  text: string;
  tier: Tier;
  isAlone: boolean;
  /** Runtimes besides `node` on which CI runs it. */
  runs: readonly Runtime[];
}

/** A test file on a runtime. */
export interface Run {
  file: TestFile;
  on: Runtime;
}

/** Tests of the source text, whose result is the same on every runtime. */
const aboutTheText = /^test\/(rails|drop-in|options)\//;
/** Tests without a server, whose result is the same however servers run. */
const withoutServer = /^test\/(unit|docs|rails|drop-in|options)\//;
/** What CI covers by running in a fresh clone; `npm run bare` covers it on a bare Debian. */
const shownByCi = 'test/bench/machine/bare.test.ts';

const isRuntime = (name: string): name is Runtime => runtimes.some((each) => each === name);
const isTier = (name: string): name is Tier => tiers.some((each) => each === name);

/** @throws for a mark that is unknown or misspelled */
export function readMarks(path: string, text: string): TestFile {
  const file = { path, text, tier: 'basic' as Tier, isAlone: false, runs: [] as Runtime[] };
  const header = text.slice(0, text.search(/^(?!\/\/)/m));
  for (const [line, name, values = ''] of header.matchAll(/^\/\/ @(\w+)(?: (.*))?$/gm)) {
    const words = values.split(' ').filter(Boolean);
    if (name === 'alone' && words.length === 0) file.isAlone = true;
    else if (name === 'tier' && words.every(isTier)) file.tier = words[0] ?? 'basic';
    else if (name === 'runs' && words.every(isRuntime)) file.runs.push(...words);
    else throw new Error(`${path}: unknown mark "${line}"`);
  }
  return file;
}

/** Every test file, sorted by path. */
export function testFiles(): TestFile[] {
  const paths = globSync('test/**/*.test.ts', { cwd: root }).toSorted();
  return paths.map((path) => readMarks(path, readFileSync(join(root, path), 'utf8')));
}

export interface Selection {
  /** Runs only files whose path contains one of these, whatever their tier. */
  filters: readonly string[];
  /** Runs this runtime only; undefined runs each file where its marks say. */
  runtime: Runtime | undefined;
  /** The highest tier that runs. */
  tier: Tier;
  /** Paths of the files that may run; undefined for all. */
  among: ReadonlySet<string> | undefined;
  /** Runs part `at` of `of`, counted from 1. */
  shard: { at: number; of: number };
}

/** The runs that a selection means, in the order of the paths. */
export function plan(files: readonly TestFile[], { filters, runtime, tier, among, shard }: Selection): Run[] {
  const isMeant = ({ path, tier: own }: TestFile) =>
    filters.length > 0
      ? filters.some((part) => path.includes(part))
      : tiers.indexOf(own) <= tiers.indexOf(tier) && path !== shownByCi;
  const chosen = files.filter((file) => isMeant(file) && (among === undefined || among.has(file.path)));
  const runs = chosen.flatMap((file): Run[] => {
    if (runtime === undefined) {
      const others = tier === 'basic' || filters.length > 0 ? [] : file.runs;
      return (['node', ...others] as const).map((on) => ({ file, on }));
    }
    const isSame =
      runtime === 'node' ? undefined : runtime === 'deno' || runtime === 'newest' ? aboutTheText : withoutServer;
    return isSame?.test(file.path) ? [] : [{ file, on: runtime }];
  });
  return runs.filter((_, index) => index % shard.of === shard.at - 1);
}
