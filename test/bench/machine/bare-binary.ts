// Runs the single binary with its embedded browser on a bare system: a fresh Debian root without Node, browser, fonts
// or cache. Prints sizes, times and hashes; fails if a limit is exceeded. Needs root and debootstrap: npm run
// bare:binary
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BuiltBinary, buildBinary } from '../../../src/build/binary/build-binary.ts';
import { loadPlaywright } from '../../../src/sessions/playwright/versions.ts';
import { type BareRoot, makeBareRoot, whyNoRoot } from '../../support/bare-root.ts';
import { readPng } from '../../support/checks/media.ts';
import { type Reply, send } from '../../support/clients/http.ts';
import { screenshotWorks, version } from '../../support/clients/playwright.ts';
import { type Site, startSite } from '../../support/site/site.ts';
import { until } from '../../support/until.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const limits = { megabytes: 160, megabytesWithBrowser: 230, firstScreenshotMs: 5_000, nextScreenshotMs: 150 };
const startLimitMs = 30_000;
const began = performance.now();
const say = (text: string) => console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${text}`);

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(`check failed: ${what}`);
}

async function main(): Promise<void> {
  const problem = whyNoRoot();
  if (problem !== undefined) throw new Error(`Cannot create a bare root here: ${problem}`);
  await sameBytes();
  const plain = await buildBinary(root, { withBrowser: false });
  sized(plain, limits.megabytes);
  const whole = await buildBinary(root, { withBrowser: true });
  sized(whole, limits.megabytesWithBrowser);
  using bare = makeBareRoot({ forDevelopers: false });
  copyFileSync(whole.path, join(bare.path, 'usr/local/bin/browserd'));
  say('created a minimal Debian root with the binary');
  const site = await startSite();
  try {
    await allKinds(bare, site);
    await twoAtOnce(bare, site);
  } finally {
    await site.close();
  }
}

/** Checks that two builds of the same sources are identical, except for V8's code cache. */
async function sameBytes(): Promise<void> {
  const output = 'dist/binary/browserd-without-code-cache';
  const hashes = [];
  for (const _ of [1, 2]) {
    hashes.push((await buildBinary(root, { withBrowser: false, codeCache: false, output })).sha256);
  }
  rmSync(join(root, output));
  check(hashes[0] === hashes[1], `two builds without a code cache are identical: ${hashes.join(', ')}`);
  say(`two builds without a code cache are identical: sha256 ${hashes[0]}`);
}

function sized({ path, bytes, sha256, notes }: BuiltBinary, most: number): void {
  const read = createHash('sha256').update(readFileSync(path)).digest('hex');
  check(read === sha256, 'the hash matches the file');
  for (const note of notes) say(note);
  say(`${path.slice(root.length + 1)}: ${(bytes / 1e6).toFixed(1)} MB (at most ${most}), sha256 ${sha256}`);
  check(bytes <= most * 1e6, `at most ${most} MB`);
}

interface Running extends AsyncDisposable {
  url: string;
  post(path: string, body: unknown): Promise<Reply>;
  kill(): Promise<void>;
}

/** Starts the binary in the root; its cache is in `/root/cache`. */
async function start(bare: BareRoot): Promise<Running> {
  const child = bare.start('exec browserd', { PORT: '0', HOST: '127.0.0.1', CACHE_DIR: '/root/cache' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const port = await until(
    'the binary to listen',
    () => {
      if (child.exitCode !== null) throw new Error(`it exited with code ${child.exitCode}:\n${output}`);
      return /"event":"listening".*?"port":(\d+)/.exec(output)?.[1];
    },
    startLimitMs,
  );
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    post: (path, body) =>
      send(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const before = performance.now();
  const value = await work();
  return { ms: Math.round(performance.now() - before), value };
}

async function succeeds(what: string, work: () => Promise<Reply>): Promise<{ ms: number; value: Reply }> {
  const done = await timed(work);
  check(done.value.status === 200, `${what} returns 200, not ${done.value.status} ${done.value.text.slice(0, 500)}`);
  return done;
}

async function allKinds(bare: BareRoot, site: Site): Promise<void> {
  await using server = await start(bare);
  const url = `${site.url}/small`;
  const shots = [];
  for (const _ of [1, 2, 3, 4, 5, 6]) {
    const { ms, value } = await succeeds('/screenshot', () => server.post('/screenshot', { url }));
    check(readPng(value.bytes).width > 0, 'the screenshot is a PNG');
    shots.push(ms);
  }
  const [first = 0, ...others] = shots;
  const next = others.toSorted((a, b) => a - b)[2] ?? 0;
  say(`screenshot: first ${first} ms (at most ${limits.firstScreenshotMs}), later ${others.join(', ')} ms`);
  check(first <= limits.firstScreenshotMs, `first screenshot within ${limits.firstScreenshotMs} ms`);
  check(next <= limits.nextScreenshotMs, `median of later screenshots at most ${limits.nextScreenshotMs} ms`);

  const code =
    'export default async ({ page }) => { await page.setContent("<title>t</title>"); return page.title(); };';
  const query = `mutation { goto(url: "${url}") { status } text(selector: "h1") { text } }`;
  const config = { extends: 'lighthouse:default', settings: { onlyAudits: ['document-title'] } };
  for (const [path, body] of [
    ['/pdf', { url }],
    ['/function', { code }],
    ['/chromium/bql', { query }],
    ['/performance', { url, config }],
    ['/performance', { url, config }],
  ] as const) {
    const { ms, value } = await succeeds(path, () => server.post(path, body));
    if (path === '/chromium/bql') check(value.text.includes('"Small"'), `BrowserQL reads the page: ${value.text}`);
    say(`${path}: ${value.bytes.length} bytes in ${ms} ms`);
  }
  for (const minor of ['1.50', '1.65']) {
    const { ms } = await timed(() => playwright(server.url, minor, url));
    say(`Playwright ${minor}: connect, open a page and take a screenshot in ${ms} ms`);
  }
  const page = await send(`${server.url}/`, { headers: { accept: 'text/html' } });
  check(page.status === 200 && page.text.includes('<html'), 'the documentation is served');
}

async function playwright(address: string, minor: string, url: string): Promise<void> {
  const library = await loadPlaywright(version(minor));
  const browser = await library.chromium.connect(`${address.replace('http', 'ws')}/chromium/playwright`, {
    timeout: 60_000,
  });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    check(await screenshotWorks(page), `Playwright ${minor} takes a screenshot`);
  } finally {
    await browser.close();
  }
}

/**
 * Starts two servers with the same empty cache. Then does so again and kills one while it unpacks: the other still
 * works, and so does a third.
 */
async function twoAtOnce(bare: BareRoot, site: Site): Promise<void> {
  const cache = join(bare.path, 'root/cache');
  const shot = (server: Running) => server.post('/screenshot', { url: `${site.url}/small` });
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache);
  {
    await using one = await start(bare);
    await using other = await start(bare);
    const both = await Promise.all([shot(one), shot(other)]);
    check(
      both.every(({ status }) => status === 200),
      'two servers that start at the same time with an empty cache both respond',
    );
  }
  say('two at the same time with an empty cache: both respond');
  rmSync(cache, { recursive: true });
  mkdirSync(cache);
  await using one = await start(bare);
  await using other = await start(bare);
  const lost = shot(one).catch(() => undefined);
  await until('the first server to unpack', () => readdirSync(cache).some((name) => name.startsWith('shell-')), 10_000);
  const kept = shot(other);
  await one.kill();
  await lost;
  check((await kept).status === 200, 'the other server responds when one is killed while it unpacks');
  await using third = await start(bare);
  check((await shot(third)).status === 200, 'a server that is started later responds');
  check(existsSync(cache), 'the cache exists');
  say('one killed while it unpacks: the other and a third respond');
}

await main();
