// Checks the Dockerfile against what it must agree with: the paths where the server looks for browsers, package.json,
// the settings, Debian's package lists. `npm run image` builds and runs the image itself.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { engines } from '../../src/browser/processes/catalog.ts';
import { describeSettings } from '../../src/base/config/config.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const test = suite('Dockerfile');
const root = join(import.meta.dirname, '..', '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Instruction {
  name: string;
  /** The text after the name, with continued lines joined. */
  value: string;
}

const instructions: Instruction[] = read('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .flatMap((line) => {
    const [, name = '', value = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    return name === '' ? [] : [{ name, value: value.trim() }];
  });
const all = (name: string) => instructions.flatMap((one) => (one.name === name ? [one.value] : []));
const only = (name: string): string => {
  const values = all(name);
  assert.is(values.length, 1, `one ${name} instruction`);
  return values[0] ?? '';
};

/** Names of the packages that apt-get installs, as the Dockerfile lists them. */
const packages = all('RUN').flatMap((value) => {
  const list = /apt-get install ([^&]*)/.exec(value)?.[1] ?? '';
  return list.split(/\s+/).filter((word) => /^[a-z0-9]/.test(word));
});
const environment = Object.fromEntries(
  all('ENV').flatMap((value) => [...value.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', text = '']) => [name, text])),
);

test('Node is the npm package, in the version pinned in package.json', () => {
  const { devDependencies } = JSON.parse(read('package.json'));
  const [build = '', system = ''] = all('FROM');
  assert.is(build, `node:${devDependencies.node}-bookworm-slim AS build`);
  assert.is(system, 'debian:bookworm-slim AS system-shell');
  assert.ok(
    all('RUN').includes('node_modules/.bin/node build.ts --binary'),
    'the executable is built from the pinned Node',
  );
  assert.ok(existsSync(join(root, 'node_modules/node/bin/node')), 'the npm package has its binary there');
});

const dpkg = (name: string): SpawnSyncReturns<string> => spawnSync('dpkg', ['-L', name], { encoding: 'utf8' });
for (const [engine, name] of [
  ['shell', 'chromium-headless-shell'],
  ['chromium', 'chromium'],
] as const) {
  const title = `the server first looks for ${engines[engine].title} where Debian's ${name} installs it`;
  const listing = dpkg(name);
  if (listing.status === 0) {
    test(title, () => {
      assert.ok(packages.includes(name), `${name} is installed by the image`);
      const [first = ''] = engines[engine].places;
      assert.ok(listing.stdout.split('\n').includes(first), `${first} is a file of ${name}`);
    });
  } else {
    test.skip(title, `the package ${name} is not installed here: apt-get install ${name}`);
  }
}

test('fonts for common scripts and documents are installed', () => {
  // Latin, Arabic, Devanagari, Thai; Chinese, Japanese, Korean; emoji; Arial, Times New Roman, Courier New; Calibri;
  // Cambria.
  const fonts = words(`
    fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji fonts-liberation fonts-crosextra-carlito
    fonts-crosextra-caladea
  `);
  for (const name of fonts) assert.ok(packages.includes(name), name);
});

const lists = '/var/lib/apt/lists';
const haveLists =
  existsSync(lists) && readdirSync(lists).some((name) => name.endsWith('_Packages') || name.includes('_Packages.'));
const isBookworm =
  existsSync('/etc/os-release') && /VERSION_CODENAME=bookworm/.test(readFileSync('/etc/os-release', 'utf8'));
if (haveLists && isBookworm) {
  test('every package in the Dockerfile exists in Debian', () => {
    const { stdout } = spawnSync('apt-cache', ['policy', ...packages], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    });
    const found = [...stdout.matchAll(/^(\S+):\n {2}Installed: .*\n {2}Candidate: (.*)$/gm)]
      .filter(([, , candidate]) => candidate !== '(none)')
      .map(([, name]) => name);
    assert.equal(
      packages.filter((name) => !found.includes(name)),
      [],
    );
    assert.ok(packages.length > 8, packages.join(' '));
  });
} else {
  test.skip(
    'every package in the Dockerfile exists in Debian',
    'there are no Debian bookworm package lists here (apt-get update)',
    {
      impossibleInCi: true,
    },
  );
}

test('copied paths exist and are not excluded by .dockerignore', () => {
  const sources = all('COPY')
    .filter((value) => !value.startsWith('--from='))
    .flatMap((value) => value.split(/\s+/).slice(0, -1));
  assert.ok(sources.includes('src'));
  const allowed = read('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  for (const source of sources) {
    assert.ok(existsSync(join(root, source)), `${source} exists`);
    assert.ok(allowed.includes(source.split('/')[0] ?? ''), `${source} is not excluded`);
  }
  assert.equal(
    allowed.filter((name) => !sources.includes(name)),
    [],
    'not excluded, but not copied',
  );
});

test('each image contains the single binary and no sources', () => {
  const values = instructions.map(({ name, value }) => `${name} ${value}`);
  const build = values.indexOf('RUN node_modules/.bin/node build.ts --binary');
  assert.ok(build > 0, 'it is built');
  for (const input of ['build.ts', 'docs-content', 'public', 'src']) {
    const copied = values.findIndex((value) => value.startsWith(`COPY ${input} `));
    assert.ok(copied > 0 && copied < build, `${input} is copied before the build`);
  }
  const copies = all('COPY').filter((value) => value.startsWith('--from='));
  assert.equal(
    copies,
    Array.from({ length: 3 }, () => '--from=build /build/dist/binary/browserd /usr/local/bin/browserd'),
  );
});

test('graphics drivers are removed in the layer that installs them', () => {
  const installing = all('RUN')
    .filter((value) => value.includes('apt-get install'))
    .slice(1);
  assert.is(installing.length, 3);
  for (const value of installing) {
    for (const path of ['/usr/lib/*/dri', '/usr/lib/*/libLLVM-*', '/usr/lib/*/libz3.so*']) assert.match(value, path);
  }
});

test('each image has its browsers, and the last one has Chromium and its shell', () => {
  const stages = all('FROM').map((value) => value.split(' AS '));
  assert.equal(stages.slice(1), [
    ['debian:bookworm-slim', 'system-shell'],
    ['system-shell', 'system-chromium'],
    ['system-chromium', 'system-all'],
    ['system-shell', 'shell'],
    ['system-all', 'all'],
    ['system-chromium', 'chromium'],
  ]);
  const labels = all('LABEL');
  assert.is(labels.length, 3);
  for (const label of labels) {
    for (const name of ['title', 'description', 'licenses', 'version', 'revision', 'created', 'base.name']) {
      assert.match(label, `org.opencontainers.image.${name}=`);
    }
  }
  const { version } = JSON.parse(read('package.json'));
  for (const value of all('ARG')) assert.match(value, `VERSION=${version} `);
});

test('font aliases are where fontconfig looks, and the font cache is built after all fonts are installed', () => {
  const order = instructions.map(({ name, value }) => `${name} ${value}`);
  const fonts = order.findIndex((value) => value.includes('fonts-noto-core'));
  const names = order.indexOf('COPY public/deploy/fonts.conf /etc/fonts/local.conf');
  const list = order.indexOf('RUN fc-cache --force --system-only');
  assert.ok(fonts > 0 && fonts < names && names < list, `${fonts} ${names} ${list}`);
  assert.ok(packages.includes('fontconfig'));
  const text = read('public/deploy/fonts.conf');
  for (const name of ['Calibri', 'Cambria', 'Segoe UI', 'Tahoma', 'sans-serif', 'serif', 'monospace']) {
    assert.match(text, `<family>${name}</family>`);
  }
});

test('the service runs as an unprivileged user, under an init process', () => {
  assert.equal(all('USER'), ['10001', '10001', '10001'], 'in each image');
  const made = all('RUN').find((value) => value.includes('useradd --uid 10001')) ?? '';
  for (const place of ['/home/browserd', '/var/lib/browserd']) {
    assert.ok(/chgrp -R 0 [^&]*/.exec(made)?.[0].split(/\s+/).includes(place), `group 0 owns ${place}`);
    assert.ok(/chmod -R g=u .*/.exec(made)?.[0].split(/\s+/).includes(place), `and can write to ${place}`);
  }
  assert.is(only('ENTRYPOINT'), '["tini", "--"]');
  assert.ok(packages.includes('tini'));
  assert.is(only('CMD'), '["browserd"]');
});

test('the environment contains only settings, listens on all interfaces and uses directories of that user', () => {
  const own = describeSettings().flatMap((setting) => setting.names);
  const names = new Set([...own, 'LANG', 'HOME']);
  assert.equal(
    Object.keys(environment).filter((name) => !names.has(name)),
    [],
  );
  assert.is(environment['LANG'], 'C.UTF-8');
  assert.is(environment['HOST'], '0.0.0.0');
  assert.is(environment['PORT'], only('EXPOSE'));
  const made = all('RUN').find((value) => value.includes('install -d -o browserd')) ?? '';
  for (const name of ['DATA_DIR', 'DOWNLOAD_DIR', 'RECORDINGS_DIR']) {
    assert.ok(made.split(/\s+/).includes(environment[name] ?? ''), name);
  }
  assert.ok(made.includes(' /var/lib/browserd '), 'the directory of the metrics file');
});

test("the health check runs the server's command with --health", () => {
  const [, code = ''] = /^.*?CMD\s+(\[.*\])$/.exec(only('HEALTHCHECK')) ?? [];
  assert.equal(JSON.parse(code), [...JSON.parse(only('CMD')), '--health']);
});
