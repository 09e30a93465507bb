// The server bundle: which code is loaded at startup, and that page functions stay together.
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import * as assert from 'uvu/assert';
import { loadedWith } from '../../src/build/join-files.ts';
import { buildServer, metafileName } from '../../src/build/server.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'dist/server');
const test = suite('server bundle', { timeoutMs: 60_000 });

/** Packages that a server needs before it listens. Load others with `await import(…)` where a request needs them. */
const atStart = words(`
  @hono/node-server content-disposition content-type fastest-levenshtein hono ipaddr.js nanotar negotiator
  prom-client valibot
`);
/** Maximum total bytes of the files that are loaded before the server listens. */
const maxBytes = 700_000;

test.before(async () => {
  await buildServer(root);
});

const metafile = (): Metafile => JSON.parse(readFileSync(join(folder, metafileName), 'utf8'));

const packageOf = (path: string) => /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules\/)/.exec(path)?.[1];

/** The files that are loaded before the server listens: those of the entry, and of `start.ts`, which it imports. */
const loadedAtStart = (meta: Metafile) => [...loadedWith(meta, ['src/main.ts', 'src/start/start.ts'])];

const modulesOf = ({ outputs }: Metafile, name: string) =>
  Object.entries(outputs[name]?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));

test('startup loads no package that only some requests need', () => {
  const meta = metafile();
  const files = loadedAtStart(meta);
  const packages = new Set(files.flatMap((name) => modulesOf(meta, name).flatMap((path) => packageOf(path) ?? [])));
  assert.equal([...packages].toSorted(), atStart);
  const outside = files.flatMap((name) => meta.outputs[name]?.imports ?? []).filter(({ external }) => external);
  const required = outside.filter(({ path, kind }) => kind === 'import-statement' && !isBuiltin(path));
  assert.equal(required, [], 'packages outside of the bundle');
});

test('startup loads three files after main.js', () => {
  const [entry = ''] = Object.keys(metafile().outputs).filter((name) => /\/start-[\w-]+\.js$/.test(name));
  // It re-exports the joined file.
  const loaded = new Set(['main.js', basename(entry)]);
  for (const name of loaded) {
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, imported = ''] of text.matchAll(/(?:from|import) ?["']\.\/([^"']+)["']/g)) loaded.add(imported);
  }
  const kinds = [...loaded].map((name) => name.replace(/-.*/, ''));
  assert.equal(kinds, ['main.js', 'start', 'base', 'server']);
  const bytes = [...loaded].reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(bytes <= maxBytes, `${bytes} bytes`);
});

test('the Valkey client is loaded only for CLUSTER_URL', () => {
  const meta = metafile();
  const withClient = Object.keys(meta.outputs).filter((name) =>
    modulesOf(meta, name).some((path) => packageOf(path) === 'iovalkey'),
  );
  assert.is(withClient.length, 1);
  const others = ['src/main.ts', 'src/start/start.ts', 'src/control/cluster/cluster.ts'];
  const loaded = loadedWith(meta, others);
  assert.not(withClient.some((name) => loaded.has(name)));
  const registry = loadedWith(meta, ['src/control/cluster/registry/registry.ts']);
  assert.ok(withClient.every((name) => registry.has(name)));
});

test('no error takes its name from its class, because the bundler renames classes', () => {
  const meta = metafile();
  const files = Object.keys(meta.outputs);
  const modules = new Set(files.flatMap((name) => modulesOf(meta, name)));
  const taken = [...modules].filter((path) =>
    /this\.name = [A-Z]\w*\.name\b/.test(readFileSync(join(root, path), 'utf8')),
  );
  // `errorNames` of src/build/server.ts writes out this class's name.
  assert.equal(taken, ['node_modules/proxy-chain/dist/request_error.js']);
  const written = files.filter((name) => taken.some((path) => modulesOf(meta, name).includes(path)));
  assert.is(written.length, 1);
  assert.match(readFileSync(join(root, written[0] ?? ''), 'utf8'), 'this.name="RequestError"');
});

test('OpenTelemetry is in chunks that are loaded only when it is enabled', () => {
  const meta = metafile();
  const holders = Object.keys(meta.outputs).filter((name) =>
    modulesOf(meta, name).some((path) => packageOf(path)?.startsWith('@opentelemetry/')),
  );
  assert.ok(holders.length > 0);
  assert.equal(
    holders.filter((name) => loadedAtStart(meta).includes(name)),
    [],
  );
  const [entry = ''] = Object.keys(meta.outputs).filter(
    (name) => meta.outputs[name]?.entryPoint === 'src/base/telemetry/otel/otel.ts',
  );
  const asking = Object.entries(meta.outputs).filter(([, { imports }]) => imports.some(({ path }) => path === entry));
  assert.equal(
    asking.map(([, { entryPoint }]) => entryPoint),
    ['src/start/start.ts'],
  );
});

test('--health loads the configuration, and no server code', () => {
  const meta = metafile();
  const files = [...loadedWith(meta, ['src/main.ts', 'src/start/health.ts'])];
  const modules = files.flatMap((name) => modulesOf(meta, name));
  assert.ok(modules.includes('src/base/config/config.ts'));
  const server = /^src\/(?:api|web|control|sessions|browser)\/|^src\/start\/(?:start|services)\.ts$/;
  assert.equal(
    modules.filter((path) => server.test(path) || packageOf(path) === 'hono'),
    [],
  );
});

test('page functions are in one file, where they can refer to each other by name', () => {
  const meta = metafile();
  const homes = Object.keys(meta.outputs).filter((name) =>
    modulesOf(meta, name).some((path) => path.startsWith('src/browser/injected/')),
  );
  assert.is(homes.length, 1);
  assert.ok(modulesOf(meta, homes[0] ?? '').includes('src/browser/page/page-function.ts'));
});

test('a build of the same sources is kept; one with a missing file is rebuilt', async () => {
  assert.is(await buildServer(root), false);
  // Only the script of the ad lists loads this chunk, so no server running at the same time misses it.
  const { outputs } = metafile();
  const part =
    Object.keys(outputs).find((name) => outputs[name]?.entryPoint === 'src/browser/page/ads/compile.ts') ?? '';
  rmSync(join(root, part));
  assert.is(await buildServer(root), true);
  assert.ok(existsSync(join(root, part)));
});
