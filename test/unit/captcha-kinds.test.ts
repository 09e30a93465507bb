// The table of captchas: task names (CapSolver has its own), published keys, and cheap patterns.
import * as assert from 'uvu/assert';
import { taskType } from '../../src/browser/page/captcha/solver/protocol.ts';
import {
  captchaKinds,
  imageTask,
  type TaskNames,
  testKeys,
  typeOfFrame,
} from '../../src/browser/page/captcha/kinds.ts';
import { testKeys as published } from '../bench/lab/captchas/pages.ts';
import { suite } from '../support/suite.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('kinds of captchas');
const typeAt = (url: string, names: TaskNames) => taskType(url, { names, members: {} });
const turnstile = captchaKinds.find(({ api }) => api === 'turnstile')?.task ?? imageTask;

test("task names depend on the solver's URL", () => {
  assert.is(typeAt('https://api.capsolver.com', turnstile), 'AntiTurnstileTaskProxyLess');
  assert.is(typeAt('https://capsolver.com', turnstile), 'AntiTurnstileTaskProxyLess');
  for (const url of ['https://api.2captcha.com', 'https://notcapsolver.com', 'http://10.0.0.7/capsolver.com']) {
    assert.is(typeAt(url, turnstile), 'TurnstileTaskProxyless', url);
  }
});

test('CapSolver no longer solves hCaptcha', () => {
  const hcaptcha = captchaKinds.find(({ type }) => type === 'hcaptcha')?.task ?? imageTask;
  assert.is(typeAt('https://api.capsolver.com', hcaptcha), '');
  assert.is(typeAt('https://api.2captcha.com', hcaptcha), 'HCaptchaTaskProxyless');
});

test('test keys published by vendors are recognized, other keys are not', () => {
  for (const key of [...Object.values(published), '2x00000000000000000000AB', '20000000-ffff-ffff-ffff-000000000002']) {
    assert.ok(testKeys.test(key), key);
  }
  for (const key of ['0x4AAAAAAAreal', '6LcV2AAAAA-one', '3x00000000000000000000FFa', '']) {
    assert.not.ok(testKeys.test(key), key);
  }
});

test('very long URLs and scripts from pages are matched quickly', () => {
  const long = [
    'https://challenges.cloudflare.com/' + '/turnstile/'.repeat(200_000),
    'https://www.google.com/recaptcha/api2/anchor?' + 'k&'.repeat(500_000),
    'https://newassets.hcaptcha.com/captcha/' + '#frame=checkbox&'.repeat(100_000),
  ];
  const texts = ['gokuProps={', 'mtcaptchaConfig={', '_cf_chl_opt ='].map((text) =>
    text.repeat(6_000).slice(0, 50_000),
  );
  const began = idleNow();
  for (const address of long) assert.is(typeOfFrame(address), undefined);
  for (const { inline, script } of captchaKinds) {
    for (const text of texts) inline?.exec(text);
    for (const address of long) script?.exec(address.slice(0, 2_000));
  }
  const ms = idleNow() - began;
  assert.ok(ms < 1_000, `${ms} ms`);
});
