// Periods, totals and the Prometheus text (compatibility.mdx#metrics).
import * as assert from 'uvu/assert';
import { createLog } from '../../src/base/telemetry/log.ts';
import { MetricsHistory, type HistoryFile } from '../../src/base/telemetry/history.ts';
import { Metrics, total } from '../../src/base/telemetry/metrics.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const test = suite('metrics');
const load = { cpu: 0.5, memory: 0.25 };

function run(metrics: Metrics, outcome: 'successful' | 'error' | 'timedout', ms: number): void {
  metrics.started();
  metrics.ended(outcome, ms);
}

test.peer('management and settings');
test('a period counts outcomes, times and units, then starts over', () => {
  const metrics = new Metrics();
  run(metrics, 'successful', 100);
  run(metrics, 'timedout', 30_001);
  run(metrics, 'error', 50);
  metrics.queued();
  metrics.rejected('full');
  metrics.rejected('cpu');
  metrics.unauthorized();
  const { date, ...period } = metrics.take(load);
  assert.ok(Math.abs(date - Date.now()) < 5_000);
  assert.equal(period, {
    successful: 1,
    error: 1,
    timedout: 1,
    queued: 1,
    rejected: 2,
    unhealthy: 1,
    unauthorized: 1,
    running: 0,
    maxConcurrent: 1,
    sessionTimes: [100, 30_001, 50],
    maxTime: 30_001,
    minTime: 50,
    meanTime: 30_151 / 3,
    totalTime: 30_151,
    units: 4,
    ...load,
  });
  assert.is(metrics.take(load).successful, 0);
});

test.peer('management and settings');
test('counts running requests and their maximum', () => {
  const metrics = new Metrics();
  metrics.started();
  metrics.started();
  metrics.ended('successful', 1);
  assert.is(metrics.running, 1);
  assert.is(metrics.take(load).maxConcurrent, 2);
  assert.is(metrics.take(load).maxConcurrent, 1, 'a request that is still running counts in the next period too');
});

test('the list of session times is bounded, the totals are not', () => {
  const metrics = new Metrics();
  for (let i = 1; i <= 5_000; i++) run(metrics, 'successful', i);
  const period = metrics.take(load);
  assert.is(period.sessionTimes.length, 1_000);
  assert.is(period.minTime, 1);
  assert.is(period.totalTime, (5_000 * 5_001) / 2);
});

test.peer('management and settings');
test('a total sums periods', () => {
  const metrics = new Metrics();
  const empty = metrics.take(load);
  run(metrics, 'successful', 40);
  const first = metrics.take(load);
  run(metrics, 'error', 20);
  run(metrics, 'successful', 60);
  const sum = total([empty, first, metrics.take(load)]);
  assert.equal(sum, {
    successful: 2,
    error: 1,
    timedout: 0,
    queued: 0,
    rejected: 0,
    unhealthy: 0,
    maxConcurrent: 1,
    sessionTimes: [40, 20, 60],
    maxTime: 60,
    minTime: 20,
    meanTime: 40,
    totalTime: 120,
    units: 3,
    estimatedMonthlyUnits: 8640,
    minutesOfMetricsAvailable: 15,
  });
});

test('a total of no periods', () => {
  const sum = total([]);
  assert.is(sum.meanTime, null);
  assert.is(sum.estimatedMonthlyUnits, null);
  assert.is(sum.minutesOfMetricsAvailable, 0);
});

/** The samples of an exposition; the order of labels does not matter. */
const samplesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').toSorted().join()}}`));

test('exposes the metrics as Prometheus text', async () => {
  const metrics = new Metrics();
  metrics.answered('/pdf', 200, 300);
  metrics.answered('/pdf', 200, 70_000);
  metrics.rejected('full');
  metrics.browserStarted(150);
  metrics.browserCrashed();
  metrics.browserRecycled('age');
  run(metrics, 'timedout', 5);
  metrics.proxied({ account: 'a"\\\n', residential: false, bytes: 5 });
  const text = await metrics.exposition({
    queued: 3,
    slots: 4,
    accounts: [{ account: 'ci', running: 1, queued: 2, units: 7 }],
    cpu: 0.5,
    memory: null,
  });
  const samples = samplesOf(text);
  for (const line of [
    'browserd_requests_total{route="/pdf",status="200"} 2',
    'browserd_request_duration_seconds_bucket{le="0.25",route="/pdf"} 0',
    'browserd_request_duration_seconds_bucket{le="0.5",route="/pdf"} 1',
    'browserd_request_duration_seconds_bucket{le="120",route="/pdf"} 2',
    'browserd_request_duration_seconds_bucket{le="+Inf",route="/pdf"} 2',
    'browserd_request_duration_seconds_sum{route="/pdf"} 70.3',
    'browserd_request_duration_seconds_count{route="/pdf"} 2',
    'browserd_queue_depth 3',
    'browserd_running 0',
    'browserd_slots 4',
    'browserd_account_running{account="ci"} 1',
    'browserd_account_queued{account="ci"} 2',
    'browserd_account_units{account="ci"} 7',
    'browserd_rejected_total{reason="full"} 1',
    'browserd_timeouts_total 1',
    'browserd_browsers_total{event="recycled",reason="age"} 1',
    'browserd_browser_launch_seconds_bucket{le="0.2"} 1',
    'browserd_browser_launch_seconds_count 1',
    'browserd_proxy_bytes_total{account="a\\"\\\\\\n",kind="external"} 5',
    'browserd_cpu_ratio 0.5',
  ]) {
    assert.ok(samples.includes(line), `${line} in\n${text}`);
  }
  assert.not(text.includes('memory_ratio'));
  assert.not(samples.some((line) => line.startsWith('browserd_proxy_units_total')));
  assert.is(text.match(/# TYPE browserd_request_duration_seconds histogram/g)?.length, 1);
  assert.ok(text.endsWith('\n'));
});

test('each metric has a type and a help text, even before anything has happened', async () => {
  const text = await new Metrics().exposition({ queued: 0, slots: 4, cpu: 0.25, memory: 0.5 });
  const types = [...text.matchAll(/^# HELP (\S+) [A-Z].*\.\n# TYPE \1 (\S+)$/gm)].map(
    ([, name, type]) => `${name} ${type}`,
  );
  const byType = {
    counter: words(`
      requests_total rejected_total timeouts_total proxy_bytes_total proxy_units_total browsers_total
      cdp_commands_refused_total captchas_total
    `),
    gauge: words('queue_depth running slots account_running account_queued account_units cpu_ratio memory_ratio'),
    histogram: words('request_duration_seconds browser_launch_seconds'),
  };
  const expected = Object.entries(byType).flatMap(([type, names]) => names.map((name) => `browserd_${name} ${type}`));
  assert.equal(types.toSorted(), expected.toSorted());
  assert.is(text.match(/^#/gm)?.length, 2 * expected.length);
});

test('a captcha costs ten units if a solver solved it, and none otherwise', async () => {
  const metrics = new Metrics();
  const unknown = { cpu: null, memory: null };
  metrics.captchaTried({ type: 'recaptcha', way: 'checkbox', solved: true });
  metrics.captchaTried({ type: 'recaptcha', way: 'none', solved: false });
  assert.is(metrics.current(unknown).units, 0);
  metrics.captchaTried({ type: 'recaptcha', way: 'solver', solved: false });
  metrics.captchaTried({ type: 'cloudflare', way: 'solver', solved: true });
  assert.is(metrics.current(unknown).units, 20);
  const samples = samplesOf(await metrics.exposition({ queued: 0, slots: 4, ...unknown }));
  assert.ok(samples.includes('browserd_captchas_total{result="solved",type="recaptcha",way="checkbox"} 1'));
});

test('metrics of two servers in one process stay separate, and an unknown load is omitted again', async () => {
  const [one, other] = [new Metrics(), new Metrics()];
  one.rejected('full');
  assert.not.match(await other.exposition({ queued: 0, slots: 4, cpu: null, memory: null }), 'reason="full"');
  for (const cpu of [0.5, null, 0.75]) {
    const samples = samplesOf(await one.exposition({ queued: 0, slots: 4, cpu, memory: null }));
    const expected = cpu === null ? [] : [`browserd_cpu_ratio ${cpu}`];
    assert.equal(
      samples.filter((line) => line.includes('cpu')),
      expected,
    );
  }
});

function memoryFile(start = ''): HistoryFile & { text: string } {
  const file = {
    text: start,
    read: async () => file.text,
    append: async (added: string) => void (file.text += added),
    replace: async (whole: string) => void (file.text = whole),
  };
  return file;
}

const quiet = createLog({ level: 'error', write: () => {} });

test.peer('management and settings');
test('the history appends periods, skips corrupt lines and keeps 10,000', async () => {
  const metrics = new Metrics();
  const line = JSON.stringify(metrics.take(load));
  const file = memoryFile(`${line}\n`.repeat(10_999) + 'damaged\n');
  await using history = new MetricsHistory({ metrics, file, load: () => load, log: quiet });
  run(metrics, 'successful', 7);
  await history.save();
  assert.is(file.text.trim().split('\n').length, 10_000);
  const periods = await history.periods();
  assert.is(periods.length, 9_999);
  assert.is(periods.at(-1)?.successful, 1);
});

test('a file that cannot be written is not an error', async () => {
  const metrics = new Metrics();
  const fail = async () => Promise.reject(new Error('read-only'));
  const history = new MetricsHistory({
    metrics,
    file: { read: fail, append: fail, replace: fail },
    load: () => load,
    log: quiet,
  });
  await history.save();
  assert.equal(await history.periods(), []);
  await history[Symbol.asyncDispose]();
});
