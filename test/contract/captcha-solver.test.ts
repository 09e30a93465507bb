// The captcha solver that an operator configures: its results, its failures, its limits, and what the server reports
// about it.
// @tier ci
import * as assert from 'uvu/assert';
import { type CaptchaSite, startCaptchaSite } from '../bench/lab/captchas/site.ts';
import { type SolverMood, startSolver, type TestSolver } from '../bench/lab/captchas/solver.ts';
import { send } from '../support/clients/bql.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('solver of captchas', { timeoutMs: 60_000 });
const limitMs = 1_500;
let service: Service;
let site: CaptchaSite;
let solver: TestSolver;

test.before(async () => {
  [site, solver] = await Promise.all([startCaptchaSite(), startSolver()]);
  service = await startService({
    env: {
      TOKEN: 'first-token,second-token',
      CAPTCHA_SOLVER_URL: `${solver.url}/`,
      CAPTCHA_SOLVER_KEY: solver.key,
      CAPTCHA_SOLVER_LIMIT_MS: String(limitMs),
      SPARES: '0',
    },
  });
});
test.after(() => stopAll(service, site, solver));
test.before.each(() => {
  solver.mood = 'ready';
});

interface Solved {
  found: boolean;
  solved: boolean;
  token: string | null;
  error: string | null;
}

/** Solves a widget that a click cannot solve. */
async function solve(on = service, query: Record<string, string> = {}, path = '/recaptcha-invisible'): Promise<Solved> {
  const document = `mutation { goto(url: "${site.url}${path}") { status } solve { found solved token error } }`;
  const reply = await send(on, document, {
    query: { externalProxyServer: site.proxy, acceptInsecureCerts: true, ...query },
  });
  return reply.json<{ data: { solve: Solved } }>().data.solve;
}

/** The page with a captcha that must not be solved; the marker identifies its requests to the solver. */
const marked = (mark: string) => `/recaptcha-invisible?${mark}`;

/** How many requests the solver received about a page's captcha: for a task and for its result. */
function timesAsked(mark: string): number {
  const own = solver.tasks().map(({ websiteURL }) => String(websiteURL).endsWith(marked(mark)));
  const ownTask = (id: unknown) => own[Number(id) - 1] === true;
  const results = solver.calls.filter(({ path, body }) => path !== '/createTask' && ownTask(body['taskId']));
  return own.filter(Boolean).length + results.length;
}

/** Solver requests for each captcha by the end of its request; one test checks that the numbers stay the same. */
const requestsUntilEnd = new Map<string, number>();

test.proves('CAPTCHA_SOLVER_URL CAPTCHA_SOLVER_KEY');
test('ready: returns the token of the task', async () => {
  assert.equal(await solve(), { found: true, solved: true, token: 'TOKEN.OF.THE.SOLVER', error: null });
  assert.equal(solver.tasks(), [
    {
      type: 'RecaptchaV2TaskProxyless',
      websiteURL: `${site.url}/recaptcha-invisible`,
      websiteKey: '6LcInvis-two',
      isInvisible: true,
    },
  ]);
  await solve(service, {}, '/recaptcha-enterprise');
  assert.is(solver.tasks().at(-1)?.['type'], 'RecaptchaV2EnterpriseTaskProxyless');
});

const failures: Partial<Record<SolverMood, string>> = {
  slow: 'SOLVER_TIMEOUT',
  'wrong-key': 'ERROR_KEY_DOES_NOT_EXIST',
  'no-balance': 'ERROR_ZERO_BALANCE',
  unsolvable: 'ERROR_CAPTCHA_UNSOLVABLE',
  broken: 'SOLVER_UNREADABLE',
  endless: 'SOLVER_UNREADABLE',
};
for (const [mood, code] of Object.entries(failures)) {
  if (mood === 'slow') test.proves('CAPTCHA_SOLVER_LIMIT_MS');
  test(`${mood}: ${code}`, async () => {
    solver.mood = mood as SolverMood; // A key of the record.
    const began = idleNow();
    const { error, ...rest } = await solve(service, {}, marked(mood));
    requestsUntilEnd.set(mood, timesAsked(mood));
    assert.equal(rest, { found: true, solved: false, token: null });
    assert.match(error ?? '', code);
    assert.not.match(error ?? '', solver.key);
    assert.ok(idleNow() - began < 15_000);
  });
}

test('the solver is not polled after the client disconnects or its response is sent', async () => {
  solver.mood = 'slow';
  const client = new AbortController();
  const document = `mutation { goto(url: "${site.url}${marked('gone')}") { status } solve { found } }`;
  const query = { externalProxyServer: site.proxy, acceptInsecureCerts: true };
  const call = service.post('/chromium/bql', { query: document }, { query, signal: client.signal });
  call.catch(() => undefined);
  await until('a task', () => timesAsked('gone') > 0);
  client.abort();
  requestsUntilEnd.set('gone', timesAsked('gone'));
  // Longer than the maximum pause between two solver requests.
  await new Promise((resolve) => setTimeout(resolve, 3_300));
  assert.is(requestsUntilEnd.size, 7);
  for (const [mark, times] of requestsUntilEnd) {
    assert.ok(times > 0, mark);
    assert.is(timesAsked(mark), times, mark);
  }
});

test('each attempt is logged and counted, without the key or token', async () => {
  const lines = service.logs().filter(({ event }) => event === 'captcha.tried');
  assert.ok(lines.length >= 7, `${lines.length} lines`);
  const results = new Set(lines.map((line) => line['result']));
  for (const result of ['solved', ...Object.values(failures)]) assert.ok(results.has(result), result);
  for (const { site: host, type, way } of lines) assert.equal([host, type, way], ['site.test', 'recaptcha', 'solver']);
  for (const secret of [solver.key, 'TOKEN.OF.THE.SOLVER', '6LcInvis-two']) {
    assert.not.ok(service.output().includes(secret), secret);
  }
  const exposed = (await service.get('/metrics', { headers: { accept: 'text/plain' } })).text;
  assert.match(exposed, /browserd_captchas_total\{type="recaptcha",way="solver",result="solved"\} 2/);
  assert.not.ok((await service.get('/config')).text.includes(solver.key));
});

test('unreachable host: SOLVER_UNREACHABLE', async () => {
  await using dead = await startService({
    env: { CAPTCHA_SOLVER_URL: 'http://127.0.0.1:1', CAPTCHA_SOLVER_KEY: solver.key, SPARES: '0' },
  });
  const { error, solved } = await solve(dead);
  assert.is(solved, false);
  assert.match(error ?? '', 'SOLVER_UNREACHABLE');
});

test.proves('CAPTCHA_SOLVER_MAX_PER_HOUR');
test('each token can send CAPTCHA_SOLVER_MAX_PER_HOUR captchas to the solver', async () => {
  await using limited = await startService({
    env: {
      TOKEN: 'first-token,second-token',
      CAPTCHA_SOLVER_URL: solver.url,
      CAPTCHA_SOLVER_KEY: solver.key,
      CAPTCHA_SOLVER_MAX_PER_HOUR: '1',
      SPARES: '0',
    },
  });
  const before = solver.tasks().length;
  assert.is((await solve(limited)).solved, true);
  const { solved, error } = await solve(limited);
  assert.is(solved, false);
  assert.match(error ?? '', 'SOLVER_LIMIT');
  assert.is(solver.tasks().length, before + 1);
  const document = `mutation { goto(url: "${site.url}/recaptcha-invisible") { status } solve { solved } }`;
  const query = { externalProxyServer: site.proxy, acceptInsecureCerts: true };
  const other = await limited.post('/chromium/bql', { query: document }, { query, token: 'second-token' });
  assert.is(other.json<{ data: { solve: Solved } }>().data.solve.solved, true);
});

test('a token that has used up its units cannot send captchas to the solver, even in a running request', async () => {
  using file = tokensFile([{ name: 'poor', unitsPerMonth: 5 }]);
  await using budgeted = await startService({
    env: { TOKENS_FILE: file.path, CAPTCHA_SOLVER_URL: solver.url, CAPTCHA_SOLVER_KEY: solver.key, SPARES: '0' },
  });
  const before = solver.tasks().length;
  const visit = `goto(url: "${site.url}/recaptcha-invisible") { status }`;
  const document = `mutation { a: ${visit} first: solve { solved } b: ${visit} second: solve { solved error } }`;
  const query = { externalProxyServer: site.proxy, acceptInsecureCerts: true };
  const reply = await budgeted.post('/chromium/bql', { query: document }, { query, token: tokenOf('poor') });
  const { data } = reply.json<{ data: Record<'first' | 'second', Solved> }>();
  assert.is(data.first.solved, true, reply.text);
  assert.is(data.second.solved, false);
  assert.match(data.second.error ?? '', /This month's units are used up: 11 of 5.*SOLVER_LIMIT/);
  assert.is(reply.headers['x-units-used'], '11');
  assert.is(solver.tasks().length, before + 1);
});
