// The Dockerfile against what it must agree with: the places where the server looks for browsers, package.json, the
// settings, the routes, Debian's package lists. The image itself cannot be built on a machine without Docker.
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { engines } from '../../src/browsers/catalog.ts';
import { directRoutes } from '../../src/routes/table.ts';
import { settings } from '../../src/config/table.ts';
import { suite } from '../support/suite.ts';

const test = suite('Dockerfile');
const root = join(import.meta.dirname, '..', '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Instruction {
  name: string;
  /** What follows the name, with continued lines joined. */
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

test('Node has the version that package.json pins, and is the npm package', () => {
  const { devDependencies } = JSON.parse(read('package.json'));
  const [build = '', final = ''] = all('FROM');
  assert.is(build, `node:${devDependencies.node}-bookworm-slim AS build`);
  assert.is(final, 'debian:bookworm-slim');
  const script = all('RUN').find((value) => value.startsWith('npm ci')) ?? '';
  assert.match(script, 'cp "$(readlink -f node_modules/node/bin/node)" /usr/local/bin/pinned-node');
  assert.ok(all('COPY').includes('--from=build /usr/local/bin/pinned-node /usr/local/bin/node'));
  assert.ok(existsSync(join(root, 'node_modules/node/bin/node')), 'the npm package has its binary there');
});

const dpkg = (name: string): SpawnSyncReturns<string> => spawnSync('dpkg', ['-L', name], { encoding: 'utf8' });
for (const [engine, name] of [
  ['shell', 'chromium-headless-shell'],
  ['chromium', 'chromium'],
] as const) {
  const title = `the server looks for ${engines[engine].title} first where Debian's ${name} puts it`;
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

test('every kind of script and the fonts of common documents are covered', () => {
  const wanted = {
    'Latin, Arabic, Devanagari, Thai': 'fonts-noto-core',
    'Chinese, Japanese, Korean': 'fonts-noto-cjk',
    emoji: 'fonts-noto-color-emoji',
    'Arial, Times New Roman, Courier New': 'fonts-liberation',
    Calibri: 'fonts-crosextra-carlito',
    Cambria: 'fonts-crosextra-caladea',
  };
  for (const [use, name] of Object.entries(wanted)) assert.ok(packages.includes(name), `${use}: ${name}`);
});

const lists = '/var/lib/apt/lists';
const haveLists =
  existsSync(lists) && readdirSync(lists).some((name) => name.endsWith('_Packages') || name.includes('_Packages.'));
const isBookworm =
  existsSync('/etc/os-release') && /VERSION_CODENAME=bookworm/.test(readFileSync('/etc/os-release', 'utf8'));
if (haveLists && isBookworm) {
  test('every package that is named exists in Debian', () => {
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
    'every package that is named exists in Debian',
    'no package lists of Debian bookworm here (apt-get update)',
    {
      impossibleInCi: true,
    },
  );
}

test('what is copied exists and is let through by .dockerignore', () => {
  const sources = all('COPY')
    .filter((value) => !value.startsWith('--from='))
    .flatMap((value) => value.split(/\s+/).slice(0, -1));
  assert.ok(sources.includes('src'));
  const allowed = read('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  for (const source of sources) {
    assert.ok(existsSync(join(root, source)), `${source} exists`);
    assert.ok(allowed.includes(source), `${source} is let through`);
  }
  assert.equal(
    allowed.filter((name) => !sources.includes(name)),
    [],
    'let through and not copied',
  );
});

test('the documentation is built before the packages that build it go, and reaches the image', () => {
  const values = instructions.map(({ name, value }) => `${name} ${value}`);
  const build = values.findIndex((value) => /^RUN \S*pinned-node build\.ts\s+&& npm prune/.test(value));
  assert.ok(build > 0, 'it is built, then pruned');
  for (const input of ['build.ts', 'docs-content', 'public', 'src']) {
    const copied = values.findIndex((value) => value.startsWith(`COPY ${input} `));
    assert.ok(copied > 0 && copied < build, `${input} is there before`);
  }
  assert.ok(all('COPY').includes('--from=build /build/dist ./dist'));
});

test('the service runs as an ordinary user, under an init, from the entry of package.json', () => {
  const user = only('USER');
  assert.is(user, 'browserd');
  assert.ok(all('RUN').some((value) => value.includes(`useradd --uid 10001`) && value.includes(user)));
  const order = instructions.map(({ name }) => name);
  assert.ok(order.indexOf('USER') < order.indexOf('CMD'));
  assert.is(only('ENTRYPOINT'), '["tini", "--"]');
  assert.ok(packages.includes('tini'));
  const { scripts } = JSON.parse(read('package.json'));
  assert.is(JSON.parse(only('CMD')).join(' '), scripts.start);
});

test('its environment names settings, listens outside and uses directories of that user', () => {
  const own = Object.entries(settings).flatMap(([key, { names: given }]) => given ?? [key]);
  const names = new Set([...own, 'NODE_ENV', 'NODE_COMPILE_CACHE']);
  assert.equal(
    Object.keys(environment).filter((name) => !names.has(name)),
    [],
  );
  assert.is(environment['HOST'], '0.0.0.0');
  assert.is(environment['PORT'], only('EXPOSE'));
  const made = all('RUN').find((value) => value.includes('install -d -o browserd')) ?? '';
  for (const name of ['DATA_DIR', 'DOWNLOAD_DIR', 'NODE_COMPILE_CACHE']) {
    assert.ok(made.split(/\s+/).includes(environment[name] ?? ''), name);
  }
  assert.ok(made.includes(' /var/lib/browserd '), 'the directory of the metrics file');
});

/** Runs the health check as Docker would, and tells its exit code and everything that it printed. */
async function runHealthCheck(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const [, code = ''] = /^.*?CMD\s+(\[.*\])$/.exec(only('HEALTHCHECK')) ?? [];
  const [program, ...args]: string[] = JSON.parse(code);
  assert.is(program, 'node');
  const child = spawn(join(root, 'node_modules/node/bin/node'), args, { env: { PATH: process.env['PATH'], ...env } });
  let output = '';
  child.stdout.on('data', (chunk: Uint8Array) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Uint8Array) => (output += chunk.toString()));
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on('close', resolve);
  return { code: await promise, output };
}

test('the health check asks a route of the table, with the token, and never prints it', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(request.headers.authorization === 'Bearer first-secret' ? 204 : 401).end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo; // A listening TCP server's address is never text or null.
  try {
    const good = await runHealthCheck({ PORT: String(port), TOKEN: 'first-secret,other' });
    assert.equal(good, { code: 0, output: '' });
    const bad = await runHealthCheck({ PORT: String(port), TOKEN: 'wrong-secret' });
    assert.equal(bad, { code: 1, output: '' });
    assert.is((await runHealthCheck({ PORT: String(port) })).code, 1);
    const [path] = new Set(asked.map((line) => line.replace('GET ', '')));
    assert.ok(
      directRoutes.some((route) => route.method === 'GET' && route.path === path),
      `${path} is a route`,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
  assert.is((await runHealthCheck({ PORT: String(port) })).code, 1, 'nothing listens there any more');
});
