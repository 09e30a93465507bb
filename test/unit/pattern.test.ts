// Clients' regular expressions match what RegExp matches. Most run immediately on a linear-time engine, the others in a
// thread that blocks no other request.
// @runs newest
import { spawnSync } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { patternLimits } from '../../src/base/limits.ts';
import { linearPattern } from '../../src/base/runtime/regexp/linear-regexp.ts';
import { PatternBudget, patternList, PatternOverrun } from '../../src/base/runtime/regexp/untrusted-regexp.ts';
import { suite } from '../support/suite.ts';

const test = suite('patterns', { timeoutMs: 240_000 });

/** Common patterns, and patterns that the two dialects write differently. */
const linear = String.raw`
\.png$
.*
^https?:\/\/[^/]+/a.*b+c
^https?:\/\/(www\.)?example\.com
\.(?:png|jpe?g|gif|webp|svg|ico)(?:\?.*)?$
.*\.(css|js|woff2?)(\?.*)?$
google-analytics|googletagmanager|doubleclick\.net|/ads?/
^(http|https)://(?<host>[\w.-]+)(:\d{1,5})?(/|$)
^wss?://
[?&]utm_(source|medium)=[^&]*
/api/v[12]/(users|items)/\d+
\bads?\b
\/\-\_\#\:\%
\x61\u0062c
(a|a){25}$b
(a{1,30}){1,30}!
(a+)+$
[]
[^]
[^]{3}x
[\w-z]
[a-]
[-a]
[[:alpha:]]
[^\]\\]
[.*+?^$|()]
[ -~]{3,}
a{
a{,5}
a{2
}]
\A\z\Q\E\a\e
()|x
a||b
(?:)
^$
x*?y+?z??
\cJ
[\b]
\u{2}
\x4
ä
`
  .split('\n')
  .filter((line) => line !== '');

/** Patterns that only RegExp supports. */
const others = [
  String.raw`^(?!.*example)`,
  String.raw`(?<=q=)\d+`,
  String.raw`(?<!x)a`,
  String.raw`a(?=b)`,
  String.raw`(a)\1`,
  String.raw`(?<n>a)\k<n>`,
  'x{1001}',
  '(a{1,100}){1,100}',
];

const texts =
  `http://a/b.png|http://a/b.png?x|http://host/axxbbc|https://www.example.com/|https://example.com/a.jpeg?x=1
https://cdn.test/x.css?v=2|https://www.googletagmanager.com/gtm.js?id=1|http://a/ads/1|http://h:80/api/v1/users/12
wss://a/|http://a/?utm_source=x|/-_#:%|abc|aaaaaaaaaaaaaaaaaaaaaaaaaaaa!|-|z|l]|:|a{|a{,5}|a{2|}]|AzQEae|x|xyz|q=12|uu|x4|aa
 |[1.2]|\\|^|$`.split(/[|\n]/);

test('patterns match what RegExp matches', async () => {
  for (const source of [...linear, ...others]) {
    using budget = new PatternBudget();
    const list = patternList([source], budget);
    assert.is(linearPattern(source) !== undefined, linear.includes(source), source);
    const expected = new RegExp(source);
    // Each search in the thread takes a round trip.
    const some = linear.includes(source) ? texts : texts.filter((text, at) => at % 4 === 0 || expected.test(text));
    for (const text of ['', ...some]) {
      assert.is((await list.find(text)) === 0, expected.test(text), `${source} in ${text}`);
    }
  }
});

test('the linear engine agrees with RegExp on random patterns', () => {
  const pieces = String.raw`a b c - . ^ $ | ( ) (?: * + ? {1,2} {2} {0,} [ab] [^a] [a-c-] \b \B \w \W \d \s \. [ \- ] { } \x61 , 1 / (?<x>`;
  const parts = pieces.split(' ');
  let seed = 20_260;
  const pick = (count: number) => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) % count;
  let compared = 0;
  for (let round = 0; round < 4_000; round++) {
    const source = Array.from({ length: pick(9) + 1 }, () => parts[pick(parts.length)]).join('');
    let expected;
    try {
      expected = new RegExp(source);
    } catch {
      continue;
    }
    const pattern = linearPattern(source);
    assert.ok(pattern, source);
    for (let turn = 0; turn < 4; turn++) {
      const text = Array.from({ length: pick(8) }, () => 'abc-. 1{}/]^$'[pick(13)]).join('');
      assert.is(pattern.test(text), expected.test(text), `${source} in ${text}`);
      compared++;
    }
  }
  assert.ok(compared > 2_000, String(compared));
});

test('simple patterns return the first match immediately', () => {
  using budget = new PatternBudget();
  const list = patternList(['\\.css$', '\\.(png|jpe?g)$', 'b\\.png'], budget);
  assert.is(list.find('http://a/b.png'), 1);
  assert.is(list.find('http://a/b.css'), 0);
  assert.is(list.find('http://a/'), -1);
});

test('patterns for both engines keep their order', async () => {
  using budget = new PatternBudget();
  const list = patternList(['nothing', '^(?!.*b)', '(a)\\1', 'b'], budget);
  assert.is(await list.find('xx'), 1);
  assert.is(await list.find('aab'), 2);
  assert.is(await list.find('xb'), 3);
  assert.is(await patternList(['nothing', '^(?!.*b)'], budget).find('ab'), -1);
});

const hostile = ['^(?!.*(a|a){30}$b)', '(.*)\\1(.*)\\2(.*)\\3!$', '^(?=(a+)+$)'];
const long = `${'a'.repeat(600)}c`;

for (const source of hostile) {
  test(`${source} stops at its budget without blocking the server`, async () => {
    using budget = new PatternBudget();
    using other = new PatternBudget();
    const honest = patternList(['^(?!.*b)'], other);
    await honest.find('warm');
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    const spent = Promise.resolve(patternList(['x', source], budget).find(long)).catch((error: unknown) => error);
    // Waits behind the hostile pattern, but its budget is not charged for the wait.
    assert.is(await honest.find('acd'), 0);
    const waited = performance.now() - began;
    const error = await spent;
    assert.ok(delay.max / 1e6 < 200, `the event loop was blocked for ${delay.max / 1e6} ms`);
    assert.ok(error instanceof PatternOverrun);
    assert.is(error.source, source);
    assert.is(budget.signal.reason, error);
    assert.ok(other.leftMs > patternLimits.workerMs * 0.8, `${other.leftMs} ms left`);
    assert.ok(waited < 1_000, `${waited} ms`);
    // The budget stays spent.
    const again = await Promise.resolve(patternList(['^(?!b)'], budget).find('a')).catch((reason: unknown) => reason);
    assert.is(again, error);
  });
}

test('many cheap searches share one budget', async () => {
  using budget = new PatternBudget();
  const honest = patternList(['^(?!.*b)x'], budget);
  for (let index = 0; index < 500; index++) assert.is(await honest.find(`a${index}`), -1);
  assert.ok(budget.leftMs > 0, `${budget.leftMs}`);
  const dear = patternList(['^(?!(a|a){17}$b)x'], budget);
  let searches = 0;
  const search = async () => {
    for (; searches < 1_000; searches++) await dear.find(`${'a'.repeat(20)}${searches}`);
  };
  assert.is(await search().catch((error: unknown) => error), budget.signal.reason);
  assert.ok(searches > 3 && searches < 900, `${searches} searches`);
});

test('patterns that are expensive on the linear engine do not block the server either', async () => {
  const heavy = [
    '(a{1,30}){1,30}!',
    '(?:a?){900}',
    '\\w{1,900}!',
    '(a|b)*a(a|b){200}c',
    ...Array(100).fill('(x{1,9}){1,9}$y'),
  ];
  using budget = new PatternBudget();
  const list = patternList(heavy, budget);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let turn = 0; turn < 20; turn++) {
    const text = Array.from({ length: 2_000 }, (_, index) => 'abxw'[(index * (turn + 3)) % 4]).join('');
    await Promise.resolve(list.find(`${text}${turn}`)).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve));
  }
  assert.ok(delay.max / 1e6 < 200, `the event loop was blocked for ${delay.max / 1e6} ms`);
});

test('an invalid pattern is a SyntaxError', () => {
  using budget = new PatternBudget();
  assert.throws(
    () => patternList(['('], budget),
    (error: unknown) => error instanceof SyntaxError,
  );
});

test('the thread does not keep the process alive', () => {
  const module = JSON.stringify(new URL('../../src/base/runtime/regexp/untrusted-regexp.ts', import.meta.url).href);
  const code = `(async () => { const { PatternBudget, patternList } = await import(${module});
    const list = patternList(['^(?!b)'], new PatternBudget());
    const alive = setInterval(() => {}, 1_000);
    console.log(String(await list.find('a')));
    clearInterval(alive); })();`;
  const args = 'Deno' in globalThis ? ['eval', '--quiet', code] : ['-e', code];
  const began = performance.now();
  const { stdout, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
  assert.is(stdout.trim(), '0', stderr);
  assert.is(status, 0);
  assert.ok(performance.now() - began < 8_000);
});
