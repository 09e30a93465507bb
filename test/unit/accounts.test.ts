// Plans, the contents of TOKENS_FILE and units, without a server.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { Account } from '../../src/control/accounts/account.ts';
import { Accounts } from '../../src/control/accounts/accounts.ts';
import { featureNames } from '../../src/base/account/features.ts';
import { unlimited } from '../../src/control/accounts/terms.ts';
import { parseTokensFile, TokensFileProblem } from '../../src/control/accounts/tokens-file.ts';
import { UnitLedger } from '../../src/control/accounts/unit-ledger.ts';
import { monthEnd, monthOf, Units } from '../../src/control/accounts/units.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { accountLimits } from '../../src/base/limits.ts';
import { createLog } from '../../src/base/telemetry/log.ts';
import { fileText, hashOf, tokenOf } from '../support/clients/tokens.ts';
import { figure, suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const test = suite('accounts');

const termsOf = (row: Record<string, unknown>, plans: Record<string, unknown> = {}) => {
  const [first] = parseTokensFile(fileText([{ name: 'ci', ...row }], plans));
  if (!first) throw new Error('no row');
  return first.terms;
};

test('plans extend presets, and rows override both', () => {
  assert.is(termsOf({}).plan, 'enterprise');
  assert.equal([...termsOf({}).features], featureNames);
  assert.is(termsOf({ plan: 'starter' }).concurrent, 5);
  assert.not(termsOf({ plan: 'starter' }).features.has('captcha'));
  const plans = { team: { extends: 'scale', concurrent: 20, features: ['+reconnect', '-function'] } };
  const terms = termsOf({ plan: 'team', concurrent: 3, features: ['captcha', '-replay'] }, plans);
  assert.equal([terms.plan, terms.concurrent], ['team', 3]);
  const has = (feature: (typeof featureNames)[number]) => terms.features.has(feature);
  assert.equal([has('reconnect'), has('function'), has('captcha'), has('replay')], [true, false, true, false]);
  // A row may override the preset with the same name.
  assert.is(termsOf({ plan: 'free' }, { free: { concurrent: 7 } }).concurrent, 7);
  assert.not(termsOf({ plan: 'free' }, { free: { concurrent: 7 } }).features.has('captcha'));
});

function problemsOf(text: string, operators?: ReadonlySet<string>): string {
  try {
    parseTokensFile(text, operators);
  } catch (error) {
    if (error instanceof TokensFileProblem) return error.message;
    throw error;
  }
  throw new Error('the file was accepted');
}

test('each error in the file is reported with its location and a fix', () => {
  assert.match(problemsOf('{'), 'The file is not valid JSON');
  assert.match(problemsOf('[]'), /must be/);
  const row = (change: Record<string, unknown>) => fileText([{ name: 'ci', ...change }]);
  assert.match(problemsOf(row({ tokenHash: 'secret' })), /tokens\.0\.tokenHash.*sha256:/);
  assert.match(problemsOf(row({ tokenHash: [] })), 'tokenHash');
  const operators = new Set([hashOf(tokenOf('ci')).replace('sha256:', '')]);
  assert.match(problemsOf(row({}), operators), 'The token "ci" is also in TOKEN');
  assert.match(problemsOf(row({ name: '../x' })), 'tokens.0.name');
  assert.match(
    problemsOf(row({ plan: 'gold' })),
    'There is no plan "gold". Use one of free, starter, scale, enterprise',
  );
  assert.match(problemsOf(row({ plan: 'constructor' })), 'tokens.0.plan');
  assert.match(problemsOf(row({ features: ['-captchas'] })), 'lists an unknown feature "captchas". Features: ');
  assert.match(problemsOf(row({ concurrent: -1 })), 'a whole number from 0 to 100000');
  assert.match(problemsOf(row({ perMinute: 1.5 })), 'a whole number');
  assert.match(problemsOf(row({ expires: 'tomorrow' })), '2027-01-31T00:00:00Z');
  assert.match(problemsOf(row({ routes: ['pdf'] })), 'must begin with /');
  assert.match(problemsOf(row({ units: 3 })), 'units');
  assert.match(problemsOf(row({ maxReconnectMs: 0 })), 'maxReconnectMs');
  assert.match(problemsOf(row({ name: 'constructor' })), 'a different name');
  assert.match(
    problemsOf(fileText([{ name: 'a' }, { name: 'a', tokenHash: hashOf('b') }])),
    'Two tokens have the name "a"',
  );
  assert.match(
    problemsOf(fileText([{ name: 'a' }, { name: 'b', tokenHash: hashOf('token-of-a') }])),
    'the same hash as another token',
  );
  const circle = { a: { extends: 'b' }, b: { extends: 'a' } };
  assert.match(problemsOf(fileText([{ name: 'ci', plan: 'a' }], circle)), 'extends itself (a → b → a)');
  // A token written in place of its hash is not repeated in the message.
  assert.not.match(problemsOf(row({ tokenHash: 'the-secret-token' })), 'the-secret-token');
});

test('charges one unit at the start and one per block, until the budget is used up', async () => {
  const units = new Units(5);
  const ended = Promise.withResolvers<ServiceError>();
  const run = units.run(() => 3, ended.resolve);
  assert.is(units.used, 1);
  const error = await ended.promise;
  assert.is(error.code, 'units-exhausted');
  assert.equal([units.used, error.facts?.used, error.facts?.budget], [3, 3, 3]);
  run[Symbol.dispose]();
  assert.throws(() => units.requireLeft(3));
  units.requireLeft(4);
  units.requireLeft(undefined);
  assert.equal([units.takeUnsaved(), units.takeUnsaved()], [3, 0]);
  assert.is(new Date(monthEnd(Date.UTC(2026, 11, 31))).toISOString(), '2027-01-01T00:00:00.000Z');
});

test('allowing a route allows it for every browser, along with the paths under it', () => {
  const account = new Account('ci', { ...unlimited, routes: ['/pdf', '/session'] });
  for (const route of ['/pdf', '/chromium/pdf', '/edge/pdf', '/session', '/session/connect/:id', '/account']) {
    account.requireRoute(route);
  }
  for (const route of ['/', '/pdfs', '/content', '/sessions'])
    assert.throws(() => account.requireRoute(route), 'routes');
});

test('units that could not be written are written by the next save', async () => {
  const parent = temporaryDirectory();
  const path = join(parent, 'later', 'units.jsonl');
  const account = new Account('ci', unlimited);
  const ledger = new UnitLedger(path, () => [account], createLog({ level: 'error', write: () => {} }));
  await ledger.start();
  account.units.charge(3);
  await ledger.save();
  assert.not(existsSync(path));
  mkdirSync(join(parent, 'later'));
  account.units.charge(4);
  await ledger[Symbol.asyncDispose]();
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  assert.equal(JSON.parse(lines.at(-1) ?? ''), { month: monthOf(Date.now()), units: { ci: 7 } });
});

test('a retried start is not charged again', () => {
  const units = new Units();
  using attempts = new DisposableStack();
  for (const pays of [true, false])
    attempts.use(
      units.run(
        () => undefined,
        () => assert.unreachable(),
        pays,
      ),
    );
  assert.is(units.used, 1);
});

test('finding the account for a token takes less than 0.1 ms, even with the maximum number of tokens', async () => {
  const names = Array.from({ length: accountLimits.tokens }, (_, index) => `tenant-${index}`);
  const path = join(temporaryDirectory(), 'tokens.json');
  writeFileSync(path, fileText(names.map((name) => ({ name }))));
  using accounts = new Accounts(
    { TOKEN: ['operator'], TOKENS_FILE: path },
    createLog({ level: 'error', write: () => {} }),
  );
  await accounts.start();
  const tokens = ['operator', 'unknown', tokenOf('tenant-0'), tokenOf(names.at(-1) ?? '')];
  const found = () => tokens.filter((token) => accounts.accepts(token)).length;
  assert.is(found(), 3);
  const times = Array.from({ length: 1_000 }, () => {
    const began = performance.now();
    found();
    return (performance.now() - began) / tokens.length;
  });
  const median = times.toSorted((a, b) => a - b)[500] ?? 0;
  figure(`finding the account for a token among ${names.length}: ${(median * 1_000).toFixed(1)} µs`);
  assert.ok(median < 0.1, `${median} ms`);
});
