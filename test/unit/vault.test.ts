// Files of the vault: written whole and only once, however many servers start with a directory, and never mistaken for
// missing.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { storageFailure } from '../../src/browser/processes/storage.ts';
import { profileLimits } from '../../src/base/limits.ts';
import { Profiles } from '../../src/sessions/profiles/profiles.ts';
import { Secrets } from '../../src/sessions/profiles/secrets.ts';
import { Vault } from '../../src/sessions/profiles/vault.ts';
import { problemOf } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const test = suite('files of the vault', { timeoutMs: 60_000 });
const root = temporaryDirectory();

const vaultAt = (directory: string) =>
  new Vault({
    directory,
    key: 'a key that only tests have',
    failed: (error) => storageFailure(error, 'PROFILES_DIR'),
  });

const nameOf = (at: number) => `00000000-0000-4000-8000-00000000000${at}.secret`;

test('if servers start together with an empty directory, one creates the key, and each reads what any has written', async () => {
  const directory = join(root, 'race');
  const vaults = Array.from({ length: 6 }, () => vaultAt(directory));
  let opening = true;
  const opened = Promise.all(vaults.map((vault) => vault.open())).finally(() => (opening = false));
  opened.catch(() => {});
  const seen = new Set<string>();
  while (opening) {
    await nextTurn();
    const [text] = textsOf(directory, 'vault.json');
    if (text !== undefined) seen.add(text);
  }
  await opened;
  assert.is(seen.size, 1, 'no one has seen a partial or different file');
  await Promise.all(vaults.map((vault, at) => vault.write('ann', nameOf(at), at)));
  for (const vault of [...vaults, vaultAt(directory)]) {
    const read = await Promise.all(vaults.map((_, at) => vault.read('ann', nameOf(at))));
    assert.equal(read, [0, 1, 2, 3, 4, 5]);
  }
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.is(names.length, 7, 'no temporary file is left behind');
});

function textsOf(directory: string, name: string): string[] {
  try {
    return [readFileSync(join(directory, name), 'utf8')];
  } catch {
    return [];
  }
}

test('an owner without a directory has nothing; a directory or file that cannot be read is an error', async () => {
  const directory = join(root, 'unreadable');
  const vault = vaultAt(directory);
  assert.equal(await vault.list('ann', '.secret'), []);
  await vault.write('ann', nameOf(1), 'x');
  assert.equal(await vault.list('ann', '.secret'), [nameOf(1).replace('.secret', '')]);
  const [owner] = readdirSync(directory).filter((name) => name !== 'vault.json');
  assert.ok(owner);
  const path = join(directory, owner);
  rmSync(join(path, nameOf(1)));
  mkdirSync(join(path, nameOf(1)));
  const unread = await problemOf(vault.read('ann', nameOf(1)));
  assert.is(unread.code, 'vault-damaged');
  assert.match(unread.message, 'EISDIR');
  rmSync(path, { recursive: true });
  writeFileSync(path, '');
  const unlisted = await problemOf(vault.list('ann', '.secret'));
  assert.is(unlisted.code, 'vault-damaged');
  assert.match(unlisted.message, /cannot read this token's directory in PROFILES_DIR \(ENOTDIR\)/);
});

test('an unreadable or empty vault.json closes the vault and is not replaced', async () => {
  const directory = join(root, 'closed');
  mkdirSync(join(directory, 'vault.json'), { recursive: true });
  const unread = await problemOf(vaultAt(directory).open());
  assert.is(unread.code, 'vault-closed');
  assert.match(unread.message, 'cannot read vault.json in PROFILES_DIR (EISDIR)');
  rmSync(join(directory, 'vault.json'), { recursive: true });
  writeFileSync(join(directory, 'vault.json'), '');
  assert.match((await problemOf(vaultAt(directory).open())).message, 'vault.json in PROFILES_DIR is damaged');
  assert.is(readFileSync(join(directory, 'vault.json'), 'utf8'), '');
});

test('profiles and secrets are limited for each owner separately', async () => {
  const vault = vaultAt(join(root, 'bounds'));
  const at = new Date().toISOString();
  const fill = (ending: string, count: number, content: object) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => {
        const id = crypto.randomUUID();
        return vault.write('ann', `${id}.${ending}`, {
          ...content,
          id,
          name: `n${index}`,
          createdAt: at,
          updatedAt: at,
        });
      }),
    );
  const state = { cookies: [], origins: [] };
  const profiles = new Profiles(vault);
  await fill('profile', profileLimits.profiles - 1, { state: '', cookieCount: 0, originCount: 0, lastUsedAt: null });
  await profiles.create('ann', 'last', state);
  const many = await problemOf(profiles.create('ann', 'one more', state));
  assert.is(many.code, 'bad-request');
  assert.match(many.message, `There are already ${profileLimits.profiles} profiles`);
  assert.is((await profiles.list('ann')).length, profileLimits.profiles);
  await profiles.create('bob', 'first', state);
  await profiles.remove('ann', 'last');
  await profiles.create('ann', 'one more', state);

  const secret = { value: 'x', origins: ['https://shop.example'] };
  const secrets = new Secrets(vault);
  await fill('secret', profileLimits.secrets - 1, secret);
  await secrets.put('ann', 'last', secret);
  const more = await problemOf(secrets.put('ann', 'one more', secret));
  assert.is(more.code, 'bad-request');
  assert.match(more.message, `There are already ${profileLimits.secrets} secrets`);
  await secrets.put('ann', 'last', { ...secret, value: 'y' });
  assert.is((await secrets.find('ann', 'last'))?.value, 'y', 'an existing secret can be replaced');
  await secrets.put('bob', 'first', secret);
  await secrets.remove('ann', 'last');
  await secrets.put('ann', 'one more', secret);
});
