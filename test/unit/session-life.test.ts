// The lifetime of a session: its clients, its pages, its single end; and the events of the session registry.
import * as assert from 'uvu/assert';
import { ServiceError } from '../../src/base/errors.ts';
import { SessionLife } from '../../src/sessions/lifecycle/life.ts';
import { JobSession } from '../../src/sessions/lifecycle/job-session.ts';
import { SessionRegistry, type SessionEvent } from '../../src/sessions/lifecycle/registry.ts';
import type { AttachableSession } from '../../src/sessions/lifecycle/session.ts';
import { StoredSession } from '../../src/sessions/lifecycle/stored-session.ts';
import { suite } from '../support/suite.ts';

const test = suite('session life');
const killed = new ServiceError('killed', 'The session was ended by a call to /kill.');

function job(id: string, ended: (error: ServiceError) => void = () => {}, trackingId?: string): JobSession {
  const facts = {
    allowedDomains: undefined,
    owner: '',
    initialConnectURL: '',
    routePath: [],
    launchOptions: {},
    startedOn: 0,
    startedAt: 0,
    ttl: 0,
  };
  return new JobSession({ ...facts, id, trackingId, browser: 'ChromiumCDP' }, ended);
}

test('a stored session knows the pages that its browser opened before it had finished starting', async () => {
  const options = {
    browser: 'chromium',
    launchOptions: {},
    ttlMs: 60_000,
    keepAliveMs: 0,
    blockAds: false,
    replay: false,
    profile: undefined,
  } as const;
  const more = {
    proxy: undefined,
    payer: { label: () => Promise.resolve('open'), requireLeft: () => {}, charge: () => {} },
    allowedDomains: undefined,
    startUrl: undefined,
    initialConnectURL: '',
    owner: '',
    account: '',
  };
  const fileSettings = { maxBytes: 0, sharedDirectories: [] };
  const remove = () => Promise.resolve();
  const space = { dataDirectory: '/nowhere', dataIsTemporary: true, scratchDirectory: '/nowhere', remove };
  const stored = new StoredSession('stored', { ...options, ...more, fileSettings }, space);
  const life = new SessionLife();
  // The properties of a browser's session that this test uses.
  const browser = { life, attachable: undefined, gone: Promise.resolve() } as unknown as AttachableSession;
  life.pageOpened('first');
  await stored.browserFor(new AbortController().signal, () => Promise.resolve(browser));
  life.pageOpened('second');
  assert.ok(stored.life.hasPage('first'));
  assert.ok(stored.life.hasPage('second'));
  life.pageClosed('first');
  assert.not.ok(stored.life.hasPage('first'));
  stored.life.end(undefined);
  await stored.gone;
});

test.peer('management and settings', 'a session ends once, regardless of the cause');
test('ends once: pages first, then the session, then its clients', async () => {
  const life = new SessionLife();
  const events: string[] = [];
  life.watch((event) => events.push(event.type));
  life.connect({ close: (error) => events.push(`closed: ${error?.code}`) }, () => events.push('last'));
  life.pageOpened('a');
  life.pageOpened('a');
  assert.ok(life.hasPage('a'));
  assert.not.ok(life.hasPage('b'));
  life.end(killed);
  assert.not.ok(life.hasPage('a'));
  life.end(undefined);
  life.pageOpened('b');
  assert.equal(events, ['page-opened', 'page-closed', 'ended', 'closed: killed']);
  assert.is(await life.ended, killed);
});

test('reports when the last client leaves, but not after the end', () => {
  const life = new SessionLife();
  let last = 0;
  const leave = [life, life].map((each) => each.connect({ close: () => {} }, () => last++));
  leave[0]?.();
  leave[0]?.();
  assert.is(last, 0);
  leave[1]?.();
  assert.is(last, 1);
  const late = life.connect({ close: () => {} }, () => last++);
  life.end(undefined);
  late();
  assert.is(last, 1);
});

test('its clock ends it, unless the clock has a callback or is stopped', async () => {
  const [timed, told, stopped] = [new SessionLife(), new SessionLife(), new SessionLife()];
  timed.startClock(5);
  const late = new Promise<ServiceError>((resolve) => told.startClock(5, resolve));
  stopped.startClock(1);
  stopped.stopClock();
  assert.is((await timed.ended)?.code, 'timeout');
  assert.is((await late).code, 'timeout');
  assert.not.ok(told.ending);
  assert.not.ok(stopped.ending);
});

/** Resolves at the timers' next turn after `ms` milliseconds. */
const passed = (ms: number) => {
  const clock = new SessionLife();
  clock.startClock(ms);
  return clock.ended;
};

test('idle clients end it, but only while they are connected', async () => {
  const [idle, alone, told] = [new SessionLife(), new SessionLife(), new SessionLife()];
  for (const life of [idle, alone]) life.startIdleClock(20);
  const late = new Promise<ServiceError>((resolve) => told.startIdleClock(20, resolve));
  for (const life of [idle, told]) life.connect({ close: () => {} }, () => {});
  alone.connect({ close: () => {} }, () => {})();
  const error = await idle.ended;
  assert.is(error?.code, 'timeout');
  assert.match(error?.message ?? '', '20 ms, the limit that SESSION_IDLE_MS sets');
  assert.is((await late).code, 'timeout');
  await passed(60);
  assert.not.ok(alone.ending);
  assert.not.ok(told.ending);
});

test('commands, work and new clients postpone the end', async () => {
  const limitMs = 80;
  const [spoken, worked, rejoined, none] = [new SessionLife(), new SessionLife(), new SessionLife(), new SessionLife()];
  for (const life of [spoken, worked, rejoined]) life.startIdleClock(limitMs);
  none.startIdleClock(0);
  const leave = [spoken, worked, rejoined, none].map((life) => life.connect({ close: () => {} }, () => {}));
  const work = worked.working();
  const began = performance.now();
  while (performance.now() - began < limitMs * 2.5) {
    spoken.recordActivity();
    leave[2]?.();
    leave[2] = rejoined.connect({ close: () => {} }, () => {});
    await passed(1);
  }
  for (const life of [spoken, worked, rejoined, none]) assert.not.ok(life.ending);
  const stopped = performance.now();
  work[Symbol.dispose]();
  await Promise.all([spoken.ended, worked.ended, rejoined.ended]);
  assert.ok(performance.now() - stopped > limitMs * 0.9, 'the clock was restarted');
  assert.not.ok(none.ending);
});

test('clients that are disconnected instead may reconnect, and are timed again', async () => {
  const life = new SessionLife();
  const cut: ServiceError[] = [];
  life.startIdleClock(10, (error) => {
    cut.push(error);
    life.closeClients(error);
  });
  for (let round = 1; round <= 2; round++) {
    await new Promise<void>((resolve) => {
      const leave = life.connect({ close: () => resolve(leave()) }, () => {});
    });
    assert.is(cut.length, round);
  }
  assert.not.ok(life.ending);
});

test('a late watcher is notified of the end immediately', () => {
  const life = new SessionLife();
  life.end(undefined);
  const events: string[] = [];
  life.watch(({ type }) => events.push(type));
  assert.equal(events, ['ended']);
});

test('the registry reports every session, and releases those that end', () => {
  const registry = new SessionRegistry();
  const events: string[] = [];
  const stop = registry.subscribe(({ type, session }: SessionEvent) => events.push(`${session.facts.id} ${type}`));
  const [one, two] = [job('1', undefined, 'mine'), job('2')];
  registry.add(one);
  registry.add(two);
  assert.throws(() => registry.add(job('3', undefined, 'mine')), 'already exists');
  using page = one.usePage('p');
  assert.is(registry.findTracked('mine', ''), one);
  one.life.end(undefined);
  page[Symbol.dispose]();
  assert.is(registry.findTracked('mine', ''), undefined);
  assert.equal(registry.list(), [two]);
  stop();
  two.life.end(undefined);
  assert.equal(events, ['1 opened', '2 opened', '1 page-opened', '1 page-closed', '1 ended']);
});

test('after the registry ends all sessions, later ones end as well', () => {
  const registry = new SessionRegistry();
  const reasons: string[] = [];
  registry.add(job('1', ({ code }) => reasons.push(code)));
  registry.endAll(new ServiceError('stopping', 'The server was stopped.'));
  registry.add(job('2', ({ code }) => reasons.push(code)));
  assert.equal(reasons, ['stopping', 'stopping']);
  assert.equal(registry.list(), []);
});

test('a job that ended by itself is not notified of its end', () => {
  let told = 0;
  job('1', () => told++).life.end(undefined);
  assert.is(told, 0);
});
