// The headless shell that comes with `npm ci`, tested even where an installed browser would be preferred: it does not
// need any system library except glibc, and supports what an installed one does: TLS, proxies, fonts, WebGL, PDF,
// sockets. Its path is set with SHELL_PATH, as a user would set it. The last test checks that a shell that cannot load
// a library reports it.
// @runs binary
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { embeddedShell } from '../../src/browser/processes/embedded.ts';
import { connect, socketUrl } from '../support/clients/clients.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { readPdf, readPng } from '../support/checks/media.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { startHttpProxy, startSocksProxy } from '../support/clients/proxies.ts';
import { startProcess } from '../support/service.ts';
import { processSuite } from '../support/fixture.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const shell = await embeddedShell(join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'browserd'));

if (shell === undefined) {
  suite('embedded browser').skip(
    'the whole suite',
    `no package provides a browser for ${process.platform} on ${process.arch}`,
  );
} else {
  testShell(shell.path);
}

function testShell(path: string): void {
  const certificate = join(import.meta.dirname, '../support/fixtures/localhost-cert.pem');
  const insecure = { acceptInsecureCerts: 'true' };
  const { test, fixture } = processSuite('embedded browser', {
    env: { SHELL_PATH: path, NODE_EXTRA_CA_CERTS: certificate, DENO_CERT: certificate },
  });

  /** Returns the body text that a script sets. */
  const bodyText = async (script: string) => {
    const html = `<body><script>document.body.textContent = (() => { ${script} })()</script>`;
    return /<body>(.*)<\/body>/s.exec((await fixture.post('/content', { html })).text)?.[1]?.trim() ?? '';
  };

  test('starts with an empty environment', () => {
    const version = execFileSync(path, ['--version', '--no-sandbox'], { env: {}, encoding: 'utf8' });
    assert.match(version, /^(HeadlessChrome|Google Chrome for Testing|Chromium) \d+\./);
  });

  test('all libraries are found, and all except those of glibc are bundled', () => {
    const libraries = join(dirname(path), 'lib');
    const files = readdirSync(libraries).filter((name) => name.includes('.so'));
    const env = { LD_LIBRARY_PATH: libraries };
    for (const file of [join(dirname(path), 'browser/headless-shell'), ...files.map((name) => join(libraries, name))]) {
      for (const line of execFileSync('ldd', [file], { env, encoding: 'utf8' }).trim().split('\n')) {
        const own = line.includes(libraries);
        const ofGlibc = /linux-vdso|ld-linux|\blib(c|m|dl|rt|pthread|gcc_s)\.so/.test(line);
        assert.ok(own || ofGlibc, `${file}: ${line.trim()}`);
      }
    }
  });

  test('loads https pages over REST, CDP and Playwright', async () => {
    const url = `${fixture.site.secureUrl}/small`;
    assert.match((await fixture.post('/content', { url }, insecure)).text, /Small page/);
    assert.is(readPng((await fixture.post('/screenshot', { url }, insecure)).bytes).width, 800);
    refused(await fixture.service.post('/content', { url }), 500, 'ERR_CERT_AUTHORITY_INVALID');
    const puppeteer = await connect(fixture.service, '/', insecure);
    const page = await puppeteer.newPage();
    await page.goto(url);
    assert.is(await page.title(), 'Small');
    await puppeteer.close();
    const playwright = await connectPlaywright(fixture.service);
    const other = await playwright.newPage({ ignoreHTTPSErrors: true });
    await other.goto(url);
    assert.is(await other.title(), 'Small');
    await playwright.close();
  });

  test('loads https pages through HTTPS, HTTP and SOCKS proxies', async () => {
    for (const start of [() => startHttpProxy({ secure: true }), startHttpProxy, startSocksProxy]) {
      await using proxy = await start();
      const query = { ...insecure, externalProxyServer: proxy.url() };
      const reply = await fixture.post('/content', { url: `${fixture.site.secureUrl}/small` }, query);
      assert.match(reply.text, /Small page/);
      assert.ok(proxy.targets().includes(`CONNECT ${new URL(fixture.site.secureUrl).host}`));
    }
  });

  test('uses its own fonts, even if the machine has none', async () => {
    const width = await bodyText(`
      const span = document.body.appendChild(document.createElement('span'));
      span.style.font = '40px "Open Sans"';
      span.textContent = 'iiiiWWWW';
      return span.getBoundingClientRect().width;`);
    // The width in Open Sans; DejaVu Sans, the usual fallback, is 14 px wider.
    assert.ok(Math.abs(Number(width) - 188) < 3, `${width} px`);
  });

  test('draws WebGL without a graphics card', async () => {
    const drawn = await bodyText(`
      const gl = document.createElement('canvas').getContext('webgl');
      if (gl === null) return 'no WebGL';
      gl.clearColor(1, 0, 0.2, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      const pixel = new Uint8Array(4);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      return pixel.join();`);
    assert.is(drawn, '255,0,51,255');
  });

  test('creates PDFs with extractable text in its own font', async () => {
    const html = '<p style="font-family: \'Open Sans\'">Embedded words, äöü</p>';
    const { bytes } = await fixture.post('/pdf', { html });
    const { pages } = await readPdf(bytes);
    assert.match(pages[0]?.text ?? '', /Embedded words, äöü/);
    assert.match(new TextDecoder('latin1').decode(bytes), /\/FontName\s*\/[A-Z]+\+OpenSans/);
  });

  test('a browser crash is reported with its reason: verbatim in the log, without paths to clients', async () => {
    const broken = withoutSqlite(path);
    await using service = await startProcess({ env: { SHELL_PATH: join(broken, 'chromium'), SPARES: '0' } });
    const url = `${fixture.site.secureUrl}/small`;
    const reply = refused(await service.post('/content', { url }, { query: insecure }), 500);
    const { error } = reply.json<{ error: string }>();
    assert.match(error, /^The browser ended unexpectedly, twice: nss_util\.cc:\d+: nss_error=-5925, os_error=0\. Try/);
    assert.not.match(error, '/');
    succeeded(await service.post('/content', { url: `${fixture.site.url}/small` }));

    const socket = new WebSocket(socketUrl(service, '/'));
    const closed = Promise.withResolvers<{ code: number; reason: string }>();
    socket.on('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }));
    socket.on('open', () => socket.send(JSON.stringify({ id: 1, method: 'Target.createTarget', params: { url } })));
    const { code, reason } = await closed.promise;
    assert.is(code, 1011);
    assert.match(
      reason,
      /^The browser has been closed: The browser ended unexpectedly: nss_util\.cc:\d+: nss_error=-5925/,
    );

    const playwright = await connectPlaywright(service);
    const page = await playwright.newPage();
    await page.goto(url).then(
      () => assert.unreachable('the page loaded without SQLite'),
      () => undefined,
    );
    const crashes = () => service.logs().filter(({ event }) => event === 'browser.crashed');
    await until('four crashes in the log', () => crashes().length === 4);
    for (const { fatal } of crashes()) assert.match(String(fatal), /^\[.*FATAL:.*nss_util\.cc:\d+\] nss_error=-5925/);
  });
}

/** Creates a script that starts the same browser with all its libraries except SQLite, as if that were missing. */
function withoutSqlite(path: string): string {
  const directory = temporaryDirectory();
  const libraries = join(dirname(path), 'lib');
  for (const name of readdirSync(libraries)) symlinkSync(join(libraries, name), join(directory, name));
  // Empty, because the loader would search the system for a missing file.
  rmSync(join(directory, 'libsqlite3.so.0'));
  writeFileSync(join(directory, 'libsqlite3.so.0'), '');
  const start = `LD_LIBRARY_PATH='${directory}' exec '${dirname(path)}/browser/headless-shell' "$@"`;
  writeFileSync(join(directory, 'chromium'), `#!/bin/sh\n${start}\n`, { mode: 0o755 });
  return directory;
}
