// DNS lookups: a few at a time, shared by callers that resolve the same name, fair across domains, with a time limit.
import * as assert from 'uvu/assert';
import { Names } from '../../src/base/runtime/names.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('names');

/** A resolver whose results the test supplies. */
function resolver() {
  const open = new Map<string, PromiseWithResolvers<string[]>>();
  const lookedUp: string[] = [];
  const lookup = (name: string) => {
    const answer = Promise.withResolvers<string[]>();
    open.set(name, answer);
    lookedUp.push(name);
    return answer.promise;
  };
  const answer = (name: string) => {
    open.get(name)?.resolve([`address of ${name}`]);
    open.delete(name);
  };
  return { lookup, answer, lookedUp };
}

test('concurrent requests for a name share one lookup, which is cached briefly', async () => {
  const { lookup, answer, lookedUp } = resolver();
  const names = new Names(lookup, 2);
  const both = Promise.all([names.resolve('a.example'), names.resolve('A.example')]);
  answer('a.example');
  assert.equal(await both, [['address of a.example'], ['address of a.example']]);
  assert.equal(await names.resolve('a.example'), ['address of a.example']);
  assert.equal(lookedUp, ['a.example']);
});

test('with the cache disabled, every name is looked up again', async () => {
  let calls = 0;
  const names = new Names(async () => [`192.0.2.${++calls}`], 2);
  assert.equal(await names.resolve('a.example'), ['192.0.2.1']);
  names.keepNothing();
  assert.equal(await names.resolve('a.example'), ['192.0.2.2']);
  assert.equal(await names.resolve('a.example'), ['192.0.2.3']);
});

test('limits concurrent lookups, and starts the next one when one finishes', async () => {
  const { lookup, answer, lookedUp } = resolver();
  const names = new Names(lookup, 3);
  const all = Promise.all(['a.de', 'b.fr', 'c.it', 'd.es', 'e.pt'].map((name) => names.resolve(name)));
  assert.equal(lookedUp, ['a.de', 'b.fr', 'c.it']);
  answer('b.fr');
  await until('the next lookup', () => lookedUp.length === 4);
  for (const name of ['a.de', 'c.it', 'd.es']) answer(name);
  await until('the last lookup', () => lookedUp.length === 5);
  answer('e.pt');
  assert.is((await all).length, 5);
});

test('lookups for one domain do not delay those for others', async () => {
  const { lookup, answer, lookedUp } = resolver();
  const names = new Names(lookup, 4, 50);
  const lost = Promise.allSettled(Array.from({ length: 50 }, (_, each) => names.resolve(`x${each}.slow.example`)));
  assert.equal(lookedUp, ['x0.slow.example', 'x1.slow.example']);
  const other = names.resolve('fast.test');
  answer('fast.test');
  assert.equal(await other, ['address of fast.test']);
  const results = await lost;
  assert.ok(results.every((result) => result.status === 'rejected' && result.reason.code === 'EAI_AGAIN'));
  // Names whose callers have all left are no longer looked up.
  answer('x0.slow.example');
  answer('x1.slow.example');
  const next = names.resolve('x99.slow.example');
  await until('the next lookup', () => lookedUp.length === 4);
  assert.is(lookedUp.at(-1), 'x99.slow.example');
  answer('x99.slow.example');
  await next;
});

test('a system error is passed to the caller, and is not cached', async () => {
  let calls = 0;
  const names = new Names(async () => {
    if (++calls === 1) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    return ['192.0.2.1'];
  }, 1);
  assert.is(await names.resolve('a.example').catch(({ code }) => code), 'ENOTFOUND');
  assert.equal(await names.resolve('a.example'), ['192.0.2.1']);
});
