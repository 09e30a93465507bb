// The dashboard's sign-ins and charts, without a server.
import * as assert from 'uvu/assert';
import { Limiter } from '../../src/control/admission/limiter.ts';
import { curvesOf, describeQueue, describeRecording } from '../../src/control/dashboard/describe.ts';
import { SignIns } from '../../src/control/dashboard/sign-ins.ts';
import { dashboardLimits } from '../../src/base/limits.ts';
import type { RecordingMeta } from '../../src/sessions/recording/meta.ts';
import { Ids } from '../../src/base/runtime/ids.ts';
import { Metrics } from '../../src/base/telemetry/metrics.ts';
import { suite } from '../support/suite.ts';

const test = suite('parts of the dashboard');

/** A sign-in for this account. */
const of = (owner: string) => ({ owner, tokenHash: `hash of ${owner}` });

test('a sign-in ends after eight hours, on sign-out, and after too many newer ones', () => {
  let time = 1_000;
  const signIns = new SignIns(new Ids(undefined), () => time);
  const first = signIns.begin(of(''));
  assert.is(first.id.length, 43);
  assert.is(first.endsAt, 1_000 + 8 * 3_600_000);
  time = first.endsAt - 1;
  assert.is(signIns.find(first.id), first);
  time = first.endsAt;
  assert.is(signIns.find(first.id), undefined);
  assert.ok(first.ended.aborted);
  const second = signIns.begin(of(''));
  signIns.end(second.id);
  signIns.end('unknown');
  assert.ok(second.ended.aborted);
  const all = Array.from({ length: dashboardLimits.signIns + 1 }, () => signIns.begin(of('')));
  assert.is(new Set(all.map(({ id }) => id)).size, all.length);
  const [oldest, next] = all;
  assert.equal([oldest?.ended.aborted, next?.ended.aborted], [true, false]);
  assert.is(signIns.find(oldest?.id ?? ''), undefined);
  // Expired sign-ins are removed before any others.
  time += 8 * 3_600_000;
  const late = signIns.begin(of(''));
  assert.ok(all.every(({ ended }) => ended.aborted));
  assert.is(signIns.find(late.id), late);
});

test('too many sign-ins evict the oldest one of the account with the most', () => {
  const signIns = new SignIns(new Ids(undefined));
  const operator = signIns.begin(of(''));
  const loud = Array.from({ length: dashboardLimits.signIns - 1 }, () => signIns.begin(of('loud')));
  const one = signIns.begin(of('quiet'));
  assert.equal(
    [operator, one, loud[1]].map((each) => each?.ended.aborted),
    [false, false, false],
  );
  assert.ok(loud[0]?.ended.aborted);
});

test('the charts show the periods of the last hour, and nothing from the future', () => {
  const metrics = new Metrics();
  const now = 10_000_000;
  const at = (date: number, maxConcurrent: number) => ({
    ...metrics.current({ cpu: 0.126, memory: null }),
    date,
    maxConcurrent,
  });
  const periods = [at(now - 3_600_000, 1), at(now - 3_599_999, 2), at(now, 3), at(now + 1, 4)];
  assert.equal(curvesOf(periods, now), { running: [2, 3], waiting: [0, 0], cpu: [13, 13], memory: [0, 0] });
});

test('the queue lists the waiting requests and since when they wait, next one first', async () => {
  const limiter = new Limiter({ concurrent: 1, queued: 200 });
  const never = new AbortController().signal;
  const slot = await limiter.acquire(never);
  const before = Date.now();
  const leaving = new AbortController();
  const waiting = [
    limiter.acquire(leaving.signal, { call: { route: '/pdf', trackingId: 'nightly' } }),
    ...Array.from({ length: 150 }, () =>
      limiter.acquire(leaving.signal, { call: { route: '/', trackingId: undefined } }),
    ),
  ];
  const { shown, total } = describeQueue(limiter);
  assert.equal([total, shown.length], [151, dashboardLimits.queued]);
  assert.equal([shown[0]?.route, shown[0]?.trackingId, shown[1]?.trackingId], ['/pdf', 'nightly', null]);
  assert.ok((shown[0]?.since ?? 0) >= before && (shown[0]?.since ?? 0) <= Date.now());
  leaving.abort(new Error('left'));
  await Promise.allSettled(waiting);
  assert.equal(describeQueue(limiter), { shown: [], total: 0 });
  slot[Symbol.dispose]();
});

test('recording titles keep their text, without bidirectional control characters', () => {
  const tab = { tab: 1, page: '', width: 0, height: 0, bytes: 1, eventBytes: 0, events: 0, website: '', startedOn: 1 };
  const meta: RecordingMeta = {
    id: '',
    kind: 'video',
    session: 'its-session',
    trackingId: null,
    account: '',
    browser: '',
    state: 'finished',
    reason: null,
    startedOn: 1,
    endedOn: 2,
    frameRate: 15,
    tabs: [],
    pagesLeftOut: 0,
  };
  const titled = (title: string) => describeRecording({ ...meta, tabs: [{ ...tab, endedOn: 2, title }] }).title;
  assert.is(titled('\u202Efdp.exe\u2066\u2069 \u202A\u05E9\u05DC\u05D5\u05DD'), 'fdp.exe \u05E9\u05DC\u05D5\u05DD');
  assert.is(titled('x'.repeat(1_000)).length, dashboardLimits.titleCharacters);
  assert.is(describeRecording(meta).title, 'its-session');
});
