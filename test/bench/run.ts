// `npm run bench`: compares server and baseline in one run. Only the ratios mean anything, since both share a machine.
// node test/bench/run.ts [--quick] [--n=20] [--route=pdf] [--page=small] [--only=latency,rate,memory,server,sockets,tenants,shield,function,features,bql]
//                        [--even-priority] [--check] [--json=FILE] [--write]
// --write puts the results of a complete run into docs-content/overview/performance.mdx.
// node test/bench/run.ts live [--quick] [--only=…] [--check] [--json=FILE]: live views, recordings and the dashboard.
// node test/bench/run.ts --curves [--quick] [--json=FILE] [--write]: cost by clients, idle sessions and page sizes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startSite } from '../support/site/site.ts';
import { browserOf, startBaseline, startServer } from './subjects.ts';
import { measureBql } from './bql.ts';
import { measureFunction } from './function.ts';
import { measureFeatures } from './features.ts';
import { formatted, tablesOf, withMeasured } from './page.ts';
import { runCurves } from './curves/run-curves.ts';
import { limits, Report } from './report.ts';
import { measureShield } from './shield.ts';
import { measureSockets } from './sockets.ts';
import { measureRefusals } from './server-alone.ts';
import { measureTenants } from './tenants.ts';
import { measureStarts } from './start.ts';
import { type Cell, measureLatency, measureMemory, measureRate } from './side-by-side.ts';
import { pages, routes } from './work.ts';

const allPhases = 'latency,rate,memory,server,sockets,tenants,shield,function,features,bql';
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    n: { type: 'string' },
    route: { type: 'string' },
    page: { type: 'string' },
    only: { type: 'string', default: allPhases },
    'even-priority': { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    curves: { type: 'boolean', default: false },
  },
});
if (positionals.length > 0) {
  if (positionals.join(' ') !== 'live') throw new Error('the only named bench is "live"');
  const { runLive } = await import('./live/run-live.ts');
  const only = options.only === allPhases ? undefined : options.only;
  await runLive({ isQuick: options.quick, only, check: options.check, json: options.json });
  process.exit();
}
if (options.curves) {
  if (options.only !== allPhases || options.check || options.n !== undefined)
    throw new Error('--curves can only be combined with --quick, --json and --write');
  await runCurves({ isQuick: options.quick, write: options.write, json: options.json });
  process.exit();
}
const jobs = Number(options.n ?? (options.quick ? 5 : 20));
if (!(jobs >= 1)) throw new Error('--n must be a number of jobs per cell, at least 1');
const isWhole =
  !options.quick && options.only === allPhases && options.route === undefined && options.page === undefined;
if (options.write && !isWhole)
  throw new Error('--write needs a complete run: omit --quick, --only, --route and --page');
const blocks = options.quick ? 2 : 5;
const concurrencies = [4, 8] as const;
const phases = new Set(options.only.split(','));
const began = performance.now();

const site = await startSite();
const cells: Cell[] = pages.flatMap((page) => routes.map((route) => ({ route, page, url: `${site.url}/${page}` })));
const wanted = cells.filter(({ route, page }) => (options.route ?? route) === route && (options.page ?? page) === page);
if (wanted.length === 0)
  throw new Error(`--route must be one of ${routes.join(', ')}; --page must be one of ${pages.join(', ')}`);
const report = new Report();
const scratch = mkdtempSync(join(tmpdir(), 'browserd-bench-'));

/** Runs a part of the bench and prints its results. */
async function phase(name: string, title: string, work: () => Promise<void>): Promise<void> {
  if (!phases.has(name)) return;
  const from = report.rows.length;
  await work();
  report.print(title, from);
  site.clear();
}

try {
  const server = await startServer();
  const browser = await browserOf(server);
  try {
    const floor = await startBaseline(browser, options['even-priority']);
    try {
      await phase('latency', 'One at a time', async () => {
        for (const cell of wanted) await measureLatency(cell, jobs, { server, floor }, report);
      });
      await phase('rate', 'Several at a time', async () => {
        for (const cell of wanted)
          for (const at of concurrencies)
            await measureRate(cell, { concurrency: at, blocks }, { server, floor }, report);
      });
    } finally {
      await floor.stop();
    }
  } finally {
    await server.stop();
  }
  await phase('memory', 'Memory, each alone on the machine', async () => {
    const ours = await measureMemory(wanted, concurrencies, () => startServer());
    const theirs = await measureMemory(wanted, concurrencies, () => startBaseline(browser, options['even-priority']));
    for (const [name, mebibytes] of ours) {
      const floor = theirs.get(name) ?? Number.NaN;
      const limit = name.includes(', 8 at once') ? { limit: limits.memoryRatioAt8 } : {};
      report.add({ name, server: mebibytes, floor, ratio: mebibytes / floor, ...limit });
    }
  });
  await phase('sockets', 'Sockets', () => measureSockets(browser, `${site.url}/small`, jobs, report));
  await phase('tenants', 'Tenants', () => measureTenants(`${site.url}/small`, jobs, report));
  await phase('shield', 'The shield', () => measureShield(`${site.url}/medium`, jobs, report));
  await phase('function', 'Code vs. the baseline', () =>
    measureFunction({ browser, evenPriority: options['even-priority'], url: `${site.url}/small`, jobs }, report),
  );
  await phase('features', 'Features vs. what they are built on', () =>
    measureFeatures(browser, site.url, { jobs, audits: options.quick ? 1 : 3 }, report),
  );
  await phase('bql', 'BrowserQL', () => measureBql(site.url, jobs, report));
  await phase('server', 'The server alone', async () => {
    await measureStarts(options.quick ? 3 : 9, scratch, report);
    await measureRefusals(options.quick ? 20 : 60, `${site.url}/medium`, report);
  });
} finally {
  await site.close();
  rmSync(scratch, { recursive: true, force: true });
}

console.log(
  `\n${((performance.now() - began) / 1_000).toFixed(0)} s, ${availableParallelism()} cores, ${jobs} jobs per cell`,
);
if (options.json !== undefined)
  report.save(options.json, { cores: availableParallelism(), runtime: process.version, jobs });
if (options.write) {
  const path = join(import.meta.dirname, '../../docs-content/overview/performance.mdx');
  const machine = { cores: availableParallelism(), system: process.platform, architecture: process.arch, jobs };
  const text = withMeasured(readFileSync(path, 'utf8'), tablesOf(report.rows, { ...machine, date: new Date() }));
  writeFileSync(path, await formatted(text, path));
  console.log(`written: ${path}`);
}
const exceeded = report.exceeded();
if (exceeded.length > 0)
  console.log(`over the limit: ${exceeded.length} of ${report.rows.length}\n  ${exceeded.join('\n  ')}`);
process.exitCode = options.check && exceeded.length > 0 ? 1 : 0;
