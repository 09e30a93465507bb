// Where full browsers download by default: written into the preferences of new and of kept profiles.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { preferDownloadsTo } from '../../src/browsers/download-preference.ts';
import { temporaryDirectory } from '../support/open-session-files.ts';
import { suite } from '../support/suite.ts';

const test = suite('download preference');
let profile: string;

test.before.each(() => {
  profile = temporaryDirectory();
});
test.after.each(() => rmSync(profile, { recursive: true }));

const place = () => join(profile, 'Default/Preferences');
const wanted = { default_directory: '/scratch/files', prompt_for_download: false };

test('a new profile gets the directory', async () => {
  await preferDownloadsTo('/scratch/files', profile);
  assert.equal(JSON.parse(readFileSync(place(), 'utf8')), { download: wanted });
});

test('a kept profile keeps its other preferences', async () => {
  mkdirSync(join(profile, 'Default'));
  const download = { default_directory: '/home/someone/Downloads', directory_upgrade: true };
  writeFileSync(place(), JSON.stringify({ homepage: 'https://example.com/', download }));
  await preferDownloadsTo('/scratch/files', profile);
  assert.equal(JSON.parse(readFileSync(place(), 'utf8')), {
    homepage: 'https://example.com/',
    download: { ...wanted, directory_upgrade: true },
  });
});

for (const text of ['', '{', 'null', '[1]', '"text"', '{"download":7}']) {
  test(`preferences that read ${text || 'nothing'} become an object`, async () => {
    mkdirSync(join(profile, 'Default'));
    writeFileSync(place(), text);
    await preferDownloadsTo('/scratch/files', profile);
    assert.equal(JSON.parse(readFileSync(place(), 'utf8')), { download: wanted });
  });
}
