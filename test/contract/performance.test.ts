// /performance: real Lighthouse audits. Each takes seconds, so there are few; rejected requests run none.
// @tier ci
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { namesField, refused } from '../support/checks/expect.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Report {
  type: string;
  data: {
    audits: Record<string, { score: number | null; scoreDisplayMode: string; errorMessage?: string }>;
    runtimeError?: { code: string };
    finalDisplayedUrl?: string;
    configSettings: Record<string, unknown>;
  };
}

const root = join(import.meta.dirname, '../..');

const { test, service, site } = fixtureSuite('contract: performance', {
  // On a loaded machine an audit takes a minute.
  timeoutMs: 200_000,
  env: {
    TOKEN: 'browserless',
    TIMEOUT: '180000',
    LOG_LEVEL: 'debug',
    PERFORMANCE_CONCURRENT: '1',
    PERFORMANCE_QUEUED: '0',
    SPARES: '0',
  },
});

const body = (fields: Record<string, unknown> = {}) => ({ url: `${site.url}/small`, ...fields });

const asked = (path: string) =>
  until(`a request for ${path}`, () => site.requests.some((one) => one.path === path), 120_000);

test.proves('performance:config.audits[] performance:budgets[].path PERFORMANCE_CONCURRENT PERFORMANCE_QUEUED');
test.peer('REST routes');
test('returns a report of one audit, with settings and budgets; a second request beyond the queue is rejected', async () => {
  const config = {
    extends: 'lighthouse:default',
    audits: ['autocomplete'],
    settings: { onlyAudits: ['document-title', 'autocomplete'], formFactor: 'mobile' },
  };
  const budgets = [{ path: '/other', resourceSizes: [{ resourceType: 'script', budget: 1 }] }];
  const first = service.post('/performance', body({ config, budgets }));
  await asked('/small');
  refused(await service.post('/chromium/performance', body({ config })), 429, 'Too many requests');
  const reply = await first;
  assert.is(reply.status, 200, reply.text.slice(0, 500));
  assert.is(reply.headers['content-type'], 'application/json; charset=UTF-8');
  const { type, data } = reply.json<Report>();
  assert.is(type, 'json');
  assert.equal(Object.keys(data.audits).toSorted(), [
    'autocomplete',
    'document-title',
    'performance-budget',
    'timing-budget',
  ]);
  assert.is(data.audits['document-title']?.score, 1);
  assert.is(data.runtimeError, undefined);
  assert.is(data.finalDisplayedUrl, `${site.url}/small`);
  assert.equal(data.configSettings['budgets'], budgets);
  for (const id of ['performance-budget', 'timing-budget']) {
    assert.is(data.audits[id]?.scoreDisplayMode, 'notApplicable', 'no budget matches the path of the page');
  }
  assert.ok(
    service.logs().some((line) => line.event === 'audit.progress'),
    'its progress is in the log',
  );
});

/** Asserts that a text does not reveal paths of the server's files. */
function showsNoPath(text: string): void {
  assert.not.match(text, /errorStack|node_modules|file:\/\//);
  for (const path of [root, realpathSync(join(root, 'node_modules'))]) assert.not.match(text, path);
}

test.peer('REST routes', 'an unreachable page is a result, not an error');
test('an unreachable page is a result, not an error, and does not reveal server paths', async () => {
  const config = {
    settings: { onlyAudits: ['largest-contentful-paint'], maxWaitForFcp: 1_000, maxWaitForLoad: 2_000 },
  };
  const reply = await service.post('/performance', { url: site.refusingUrl, config });
  assert.is(reply.status, 200, reply.text.slice(0, 500));
  const { audits, runtimeError } = reply.json<Report>().data;
  assert.ok(runtimeError, 'data.runtimeError');
  assert.ok(audits['largest-contentful-paint']?.errorMessage, 'the audit failed');
  showsNoPath(reply.text);
});

test('the error for settings that Lighthouse rejects does not reveal server paths', async () => {
  const reply = await service.post('/performance', body({ config: { settings: { locale: '/etc/passwd' } } }));
  showsNoPath(reply.text);
});

test.peer('REST routes');
test('the deadline stops the audit process and its browser', async () => {
  const there = () => service.tree().filter(({ command }) => /--browserd-script audit| about:blank/.test(command));
  const call = service.post('/performance', { url: `${site.url}/hang` }, { query: { timeout: 15_000 } });
  await until(
    'the audit process',
    () => there().some(({ command }) => command.includes('--browserd-script audit')),
    60_000,
  );
  refused(await call, 408, 'Request has timed out');
  await until('its processes to be gone', () => there().length === 0, 30_000);
});

test.proves('performance:config.extends performance:config.plugins performance:config.artifacts');
test.peer('network and switches', 'network: file: is a 403 on performance');
test('rejects invalid bodies and access to server files', async () => {
  namesField(await service.post('/performance', {}), 'url');
  namesField(await service.post('/performance', body({ html: '<p>' })), 'html');
  namesField(await service.post('/performance', body({ budgets: 'none' })), 'budgets');
  namesField(await service.post('/performance', body({ config: { plugins: ['./x.js'] } })), 'config.plugins');
  namesField(await service.post('/performance', body({ config: { artifacts: [] } })), 'config.artifacts');
  namesField(await service.post('/performance', body({ config: { extends: 'lighthouse:all' } })), 'config.extends');
  namesField(
    await service.post('/performance', body({ config: { settings: { gatherMode: '/tmp' } } })),
    'config.settings',
  );
  refused(await service.post('/performance', { url: 'file:///etc/passwd' }), 403, 'file:');
  refused(await service.post('/performance', { url: 'about:blank' }), 400, 'url');
});

test('audits from other files are rejected', async () => {
  const reply = await service.post('/performance', body({ config: { audits: ['/etc/passwd'] } }));
  refused(reply, 400, 'config.audits', '/etc/passwd');
});

test.peer('REST routes');
test('returns errors for a wrong method, a missing token, and a full server', async () => {
  refused(await service.get('/performance'), 404);
  refused(await service.post('/performance', body(), { token: null }), 401);
  await using full = await startService({ env: { CONCURRENT: '0', QUEUED: '0', SPARES: '0' } });
  refused(await full.post('/performance', body()), 429, 'Too many requests');
});
