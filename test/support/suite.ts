// Declares test suites on uvu, without uvu's pitfalls: a throwing hook fails the file, every test has a time limit, the
// suite starts itself, and unhandled rejections count as failures. A file's last line of output is `#result {…}`, which
// test/run.ts reads.
import process from 'node:process';
import { inspect } from 'node:util';
import { suite as uvuSuite } from 'uvu';
import type { Attack, EntryPoint } from './attacks.ts';
import { takeViolations } from './checks/answers.ts';
import { missing } from './programs.ts';

interface SkipOptions {
  /** True when no CI machine can run the test (a proprietary browser, say). Any other skip in CI is a failure. */
  impossibleInCi?: boolean;
}

/** A test body. The signal aborts at the test's time limit, so that its requests end too. */
type Body = (signal: AbortSignal) => unknown;

interface Hook {
  (body: Body): void;
  each(body: Body): void;
}

export interface Suite {
  (name: string, body: Body, options?: { timeoutMs?: number }): void;
  before: Hook;
  after: Hook;
  skip(name: string, reason: string, options?: SkipOptions): void;
  /** Declares tests that are skipped for this reason; without a reason, they run. */
  unless(reason: string | undefined): (name: string, body: Body, options?: { timeoutMs?: number }) => void;
  /** Marks the next test: it is skipped where these programs are missing. */
  needs(...programs: Parameters<typeof missing>): void;
  /**
   * Marks the next test: it tries this attack at these entry points. `npm run promises` reads the marks from the
   * source.
   */
  shows(attack: Attack, ...at: readonly [EntryPoint, ...EntryPoint[]]): void;
  /**
   * Marks the next test: it verifies the effect or the rejection of these options, named as `npm run options` prints
   * them. Names are separated by spaces; `viewport.{width,height}` is two.
   */
  proves(...options: readonly string[]): void;
  /**
   * Marks the next test: it checks behaviors that clients of browserless rely on. Without a behavior, the title of the
   * test is one.
   */
  peer(area: PeerArea, ...behaviors: readonly string[]): void;
  /** Marks the next test: it checks these differences, named by their first cells on docs-content/baas/migrate.mdx. */
  differs(...entries: readonly string[]): void;
}

/** Areas in which `npm run drop-in` prints behaviors. */
type PeerArea =
  'REST routes' | 'sockets' | 'management and settings' | 'parameters and errors' | 'network and switches';

/** A declared test with its marks. */
export interface ListedTest {
  title: string;
  proves: readonly string[];
  peer: readonly { area: PeerArea; behavior: string }[];
  differs: readonly string[];
}

interface Marks {
  proves: string[];
  /** Without a behavior, it is the title of the test. */
  peer: { area: PeerArea; behavior?: string }[];
  differs: string[];
  /** Why the test is skipped: programs that it needs are missing. */
  lacking?: string | undefined;
}

const noMarks = (): Marks => ({ proves: [], peer: [], differs: [] });

const result = { passed: 0, failed: 0, skipped: 0 };
const inCi = process.env['CI'] === 'true';
/** Whether to print the time of each test: set TEST_TIMES=1 and run the file with Node. */
const printsTimes = process.env['TEST_TIMES'] === '1';
let openSuites = 0;
/** With TEST_LIST=1, tests are collected here instead of run; see test/support/list-tests.ts. */
export const listed: ListedTest[] = [];
const isListing = process.env['TEST_LIST'] === '1';

/** The colored comparison that uvu's assertion errors contain. */
function differences(error: Error): string {
  return 'details' in error && typeof error.details === 'string' ? `\n${error.details}` : '';
}

/** The text of an error with the chain of its causes, or of both errors when what a test uses then fails to stop too. */
function told(error: Error): string {
  if (error instanceof SuppressedError) return [error.suppressed, error.error].map(shown).join('\n');
  const cause = error.cause === undefined ? '' : `\n  because: ${inspect(error.cause)}`;
  return `${error.stack ?? error.message}${differences(error)}${cause}`;
}

const shown = (error: unknown): string => (error instanceof Error ? told(error) : inspect(error));

/** Marks a test as failed in uvu's own output; the suite printed the error when it happened. */
function printedAbove(): Error {
  const error = new Error('(printed above)');
  error.stack = '';
  return error;
}

function fail(where: string, error: unknown): void {
  result.failed++;
  console.error(`\n  FAIL ${where}\n    ${shown(error).replaceAll('\n', '\n    ')}`);
}

process.on('unhandledRejection', (reason) => fail('unhandled rejection', reason));
process.on('uncaughtException', (error) => fail('uncaught exception', error));
process.on('exit', () => {
  if (isListing) return;
  if (openSuites > 0) fail('the file', new Error(`exited while ${openSuites} suite(s) had not finished`));
  if (result.failed > 0) process.exitCode = 1;
  console.log(`#result ${JSON.stringify(result)}`);
});

async function limited(body: Body, timeoutMs: number): Promise<void> {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`took longer than ${timeoutMs} ms`);
    late.reject(error);
    controller.abort(error);
  }, timeoutMs);
  try {
    await Promise.race([body(controller.signal), late.promise]);
  } catch (error) {
    for (const violation of takeViolations()) console.error(`  ${violation}`);
    throw error;
  } finally {
    clearTimeout(timer);
  }
  const [violation, ...others] = takeViolations();
  if (violation !== undefined) throw new Error([violation, ...others].join('\n'));
}

/** Exits the process once every suite is done; lists handles that are still open, without waiting for them. */
function finish(): void {
  if (--openSuites > 0) return;
  setTimeout(() => {
    console.error(`  still open after the tests: ${process.getActiveResourcesInfo?.().join(', ')}`);
    process.exit();
  }, 3_000).unref();
}

/** `viewport.{width,height}` as `viewport.width` and `viewport.height`. */
function expand(word: string): string[] {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/.exec(word);
  if (!match) return [word];
  const [, before = '', choices = '', after = ''] = match;
  return choices.split(',').flatMap((choice) => expand(`${before}${choice}${after}`));
}

export interface SuiteSettings {
  /** Time limit of each test and hook. Default: 60 s. */
  timeoutMs?: number;
  /** Programs without which all its tests are skipped. */
  needs?: Parameters<typeof missing>;
}

/** Declares a suite, which starts automatically once the module has run. */
export function suite(name: string, { timeoutMs = 60_000, needs = [] }: SuiteSettings = {}): Suite {
  const inner = uvuSuite(name);
  const hooks = { before: [] as Body[], after: [] as Body[], beforeEach: [] as Body[], afterEach: [] as Body[] };
  let marks = noMarks();
  let started = false;
  let broken: { error: unknown } | undefined;
  let count = 0;
  const lacking = missing(...needs);
  openSuites++;

  const open = () => {
    if (started) throw new Error(`"${name}" has started: declare its tests and hooks before the first await`);
  };
  const hook = (once: Body[], each: Body[]): Hook => {
    const add = (list: Body[]) => (body: Body) => {
      open();
      if (lacking === undefined) list.push(body);
    };
    return Object.assign(add(once), { each: add(each) });
  };

  inner.before(async () => {
    try {
      for (const body of hooks.before) await limited(body, timeoutMs);
    } catch (error) {
      broken = { error };
      fail(`${name}: before hook`, error);
    }
  });
  inner.after(async () => {
    for (const body of hooks.after) {
      await limited(body, timeoutMs).catch((error: unknown) => fail(`${name}: after hook`, error));
    }
    finish();
  });

  const declare = (title: string, body: Body, options: { timeoutMs?: number } = {}): void => {
    if (marks.lacking !== undefined) return skip(title, marks.lacking);
    open();
    count++;
    const peer = marks.peer.map(({ area, behavior = title }) => ({ area, behavior }));
    if (isListing) listed.push({ title, ...marks, peer });
    marks = noMarks();
    inner(title, async () => {
      if (broken !== undefined) {
        result.failed++;
        throw printedAbove();
      }
      const began = performance.now();
      try {
        for (const each of hooks.beforeEach) await limited(each, timeoutMs);
        await limited(body, options.timeoutMs ?? timeoutMs).finally(async () => {
          for (const each of hooks.afterEach) await limited(each, timeoutMs);
        });
        result.passed++;
        if (printsTimes) console.log(`\n  TIME ${Math.round(performance.now() - began)} ms: ${title}`);
      } catch (error) {
        fail(`${name}: ${title} (${Math.round(performance.now() - began)} ms)`, error);
        throw printedAbove();
      }
    });
  };

  const skip = (title: string, reason: string, { impossibleInCi = false }: SkipOptions = {}): void => {
    open();
    count++;
    marks = noMarks();
    inner(title, () => {
      if (inCi && !impossibleInCi) {
        fail(`${name}: ${title}`, new Error(`skipped in CI: ${reason}`));
        throw printedAbove();
      }
      result.skipped++;
      console.log(`\n  SKIP ${name}: ${title}: ${reason}`);
    });
  };

  // The timer fires after the module has run; a module that awaits before it declares tests fails in `open()`.
  setTimeout(() => {
    started = true;
    if (isListing) return;
    if (count === 0) fail(name, new Error('the suite has no tests'));
    inner.run();
  });

  const runUnless = (reason: string | undefined) =>
    reason === undefined || isListing ? declare : (title: string) => skip(title, reason);
  return Object.assign(runUnless(lacking), {
    before: hook(hooks.before, hooks.beforeEach),
    after: hook(hooks.after, hooks.afterEach),
    skip,
    unless: (reason: string | undefined) => runUnless(lacking ?? reason),
    shows: open,
    proves(...options: readonly string[]) {
      open();
      marks.proves.push(...options.flatMap((text) => text.trim().split(/\s+/)).flatMap(expand));
    },
    needs(...programs: Parameters<typeof missing>) {
      open();
      marks.lacking = missing(...programs);
    },
    peer(area: PeerArea, ...behaviors: readonly string[]) {
      open();
      marks.peer.push(...(behaviors.length === 0 ? [{ area }] : behaviors.map((behavior) => ({ area, behavior }))));
    },
    differs(...entries: readonly string[]) {
      open();
      marks.differs.push(...entries);
    },
  });
}

/** Prints a measurement of a test; the run of all tests prints it too. */
export function figure(text: string): void {
  console.log(`\n  FIGURE ${text}`);
}
