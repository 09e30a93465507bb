// BrowserQL: solve, verify and solveImageCaptcha on pages with widgets, with a solver on loopback.
import * as assert from 'uvu/assert';
import { type CaptchaSite, startCaptchaSite } from '../bench/lab/captchas/site.ts';
import { startSolver, type TestSolver } from '../bench/lab/captchas/solver.ts';
import { type BqlAnswer, send } from '../support/clients/bql.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('BrowserQL captchas', { timeoutMs: 60_000 });
let service: Service;
let site: CaptchaSite;
let solver: TestSolver;

test.before(async () => {
  [site, solver] = await Promise.all([startCaptchaSite(), startSolver()]);
  service = await startService({ env: { CAPTCHA_SOLVER_URL: solver.url, CAPTCHA_SOLVER_KEY: solver.key } });
});
test.after(() => stopAll(service, site, solver));

/** Runs steps on a page on the site. */
async function run(path: string, steps: string): Promise<BqlAnswer> {
  const document = `mutation { goto(url: "${site.url}${path}") { status } ${steps} }`;
  const query = { externalProxyServer: site.proxy, acceptInsecureCerts: true };
  return (await send(service, document, { query })).json<BqlAnswer>();
}

async function data(path: string, steps: string): Promise<Record<string, any>> {
  const answer = await run(path, steps);
  assert.is(answer.errors, undefined, JSON.stringify(answer.errors));
  return answer.data;
}

const all = '{ found solved token error time }';
const received = 'received: evaluate(content: "window.receivedToken") { value }';
const testToken = 'XXXX.DUMMY.TOKEN.XXXX';
const none = { found: false, solved: false, token: null, error: null };
const withoutTime = ({ time, ...rest }: Record<string, unknown>) => {
  assert.type(time, 'number');
  return rest;
};

test('solve: test keys need only a click, and a second step finds the captcha solved', async () => {
  const { solve, again, received: value } = await data('/hcaptcha', `solve ${all} again: solve ${all} ${received}`);
  const solved = { found: true, solved: true, token: 'XXXX.DUMMY.TOKEN.XXXX', error: null };
  assert.equal(withoutTime(solve), solved);
  assert.equal(withoutTime(again), solved);
  assert.is(value.value, testToken);
});

test('solve: the solver provides the token when a click is not enough', async () => {
  const { solve, received: value } = await data('/turnstile', `solve(type: cloudflare) ${all} ${received}`);
  assert.equal(withoutTime(solve), { found: true, solved: true, token: 'TOKEN.OF.THE.SOLVER', error: null });
  assert.is(value.value, 'TOKEN.OF.THE.SOLVER');
});

test.proves('solve.type solve.timeout solve.wait');
test('solve: type selects the captcha, timeout limits the wait for it, wait false checks once', async () => {
  // covers: Mutation.solve Mutation.solve(type) Mutation.solve(timeout) Mutation.solve(wait) CaptchaTypes.*
  // covers: CaptchaResponse.found CaptchaResponse.solved CaptchaResponse.token CaptchaResponse.error CaptchaResponse.time
  const began = idleNow();
  const answer = await data(
    '/hcaptcha',
    `other: solve(type: recaptcha, timeout: 300) ${all} never: solve(type: slider) ${all}
     alias: solve(type: dataDome, wait: false) ${all} own: solve(type: hcaptcha, wait: false) ${all}`,
  );
  assert.equal(withoutTime(answer['other']), none);
  assert.ok(answer['other'].time >= 290, answer['other'].time);
  assert.equal(withoutTime(answer['never']), none);
  assert.equal(withoutTime(answer['alias']), none);
  assert.is(answer['own'].solved, true);
  assert.ok(idleNow() - began < 9_000);
});

test('solve: a page without a captcha is not an error', async () => {
  assert.equal(withoutTime((await data('/nothing', `solve(timeout: 200) ${all}`))['solve']), none);
  const { errors } = await run('/nothing', `solve(timeout: -1) ${all}`);
  assert.is(errors?.[0]?.extensions?.code, 'BAD_ARGUMENT');
});

test('solve: unsupported kinds are found but reported as unsolved', async () => {
  const { solve } = await data('/geetest-4', `solve ${all}`);
  assert.equal([solve.found, solve.solved, solve.token], [true, false, null]);
  assert.match(solve.error, 'geetest');
});

test.proves('verify.type verify.timeout verify.wait');
test('verify clicks the widget of the vendor given by type; timeout and wait work as in solve', async () => {
  // covers: Mutation.verify Mutation.verify(type) Mutation.verify(timeout) Mutation.verify(wait) VerifyTypes.*
  const { verify } = await data('/turnstile-test-key', `verify(type: cloudflare) ${all}`);
  assert.equal([verify.found, verify.solved], [true, true]);
  const answer = await data(
    '/hcaptcha',
    `a: verify(type: cloudflare, timeout: 200) ${all}
    b: verify(type: cloudflare, wait: false) ${all}`,
  );
  assert.equal([withoutTime(answer['a']), withoutTime(answer['b'])], [none, none]);
});

test.proves('solveImageCaptcha.captchaSelector solveImageCaptcha.inputSelector');
test('solveImageCaptcha reads the image at captchaSelector and types into inputSelector', async () => {
  // covers: Mutation.solveImageCaptcha Mutation.solveImageCaptcha(captchaSelector)
  // covers: Mutation.solveImageCaptcha(inputSelector) Mutation.solveImageCaptcha(timeout)
  const { solveImageCaptcha, typed } = await data(
    '/image',
    `solveImageCaptcha(captchaSelector: "#picture", inputSelector: "#letters") ${all}
     typed: evaluate(content: "document.getElementById('letters').value") { value }`,
  );
  assert.equal(withoutTime(solveImageCaptcha), { found: true, solved: true, token: 'x7k2', error: null });
  assert.is(typed.value, 'x7k2');
  const task = solver.tasks().at(-1);
  assert.is(task?.['type'], 'ImageToTextTask');
  const png = Buffer.from(String(task?.['body']), 'base64');
  assert.equal([png.readUInt32BE(16), png.readUInt32BE(20)], [120, 40]);
});

test.proves('solveImageCaptcha.timeout');
test('solveImageCaptcha: stops polling the solver when its timeout expires', async () => {
  solver.mood = 'slow';
  try {
    const { errors } = await run(
      '/image',
      `solveImageCaptcha(captchaSelector: "#picture", inputSelector: "#letters", timeout: 1500) ${all}`,
    );
    assert.is(errors?.[0]?.extensions?.code, 'TIMEOUT');
    assert.match(errors?.[0]?.message ?? '', 'solver');
  } finally {
    solver.mood = 'ready';
  }
});
