// /function with imports that fail: the error names the module and the reason.
// @runs binary
import { realpathSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { refused } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('function imports');
let server: Server;
let libraries: string;

test.before(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    const shared = path.includes('unshared') ? {} : { 'access-control-allow-origin': '*' };
    const type = path.endsWith('.html') ? 'text/html' : 'text/javascript';
    response.writeHead(path.startsWith('/missing') ? 404 : 200, { 'content-type': type, ...shared });
    response.end(path === '/outer.js' ? `import '/missing-inner.js';` : 'export default 1;');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // `address()` of a server on a TCP port has this type.
  libraries = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.after(() => {
  server.closeAllConnections();
  server.close();
});

test("a failed static or dynamic import returns a 400 with the module's URL and the reason", async () => {
  const failures: [module: string, ...mentions: (string | RegExp)[]][] = [
    [`${libraries}/missing.js`, `the module ${libraries}/missing.js: its server responded with status 404`],
    [`${libraries}/unshared.js`, `the module ${libraries}/unshared.js: `, 'no Access-Control-Allow-Origin'],
    [`${libraries}/page.html`, `the module ${libraries}/page.html: its content type is "text/html"`],
    [`${libraries}/outer.js`, `the module ${libraries}/missing-inner.js: its server responded with status 404`],
    [`${fixture.site.refusingUrl}x.js`, `the module ${fixture.site.refusingUrl}x.js: `, 'it refused the connection'],
    ['http://no-such-name.invalid/x.js', 'http://no-such-name.invalid/x.js', 'the hostname could not be resolved'],
    ['lodash', 'the module "lodash"', 'https://esm.sh/lodash'],
    ['./own.js', 'the module "./own.js"', 'full URLs'],
    ['node:fs', 'node:fs'],
    ['file:///etc/passwd', 'the module file:///etc/passwd: it is not a web address'],
  ];
  for (const [index, [module, ...mentions]] of failures.entries()) {
    // Both kinds for a module that is missing; for the other reasons one, in turn.
    const codes = [
      `import * as it from '${module}'; export default () => it`,
      `export default async () => await import('${module}')`,
    ];
    for (const code of index === 0 ? codes : codes.slice(index % 2, (index % 2) + 1)) {
      refused(await fixture.service.post('/function', { code }), 400, ...mentions);
    }
  }
});

test('code errors, stack traces, and discovery do not reveal server paths', async () => {
  const codes = [
    "export default () => { throw new Error('boom') }",
    'export default () => { let let = 1; }',
    "export default ({ page }) => page.goto('nowhere')",
    "export default ({ page }) => page.goto('nowhere').catch(({ stack }) => stack)",
    'export default ({ page }) => page.evaluate(() => missing()).catch(({ stack }) => stack)',
    'export default () => new Error().stack',
    "export default ({ page }) => page.waitForSelector('no', { timeout: 1 }).catch(({ stack }) => stack)",
  ];
  const root = join(import.meta.dirname, '../..');
  const shown = [
    ...(await Promise.all(
      codes.map((code) => fixture.service.post('/function', { code }, { query: { debug: true } })),
    )),
    ...(await Promise.all(
      ['/json/version', '/json/list', '/json/protocol', '/meta'].map((path) => fixture.service.get(path)),
    )),
  ];
  for (const { text } of shown) {
    assert.not.match(text, /node_modules|file:\/\/\//);
    for (const path of [root, realpathSync(join(root, 'node_modules')), fixture.service.baseDir])
      assert.not.match(text, path);
  }
});

test('if the code catches a failed import, its own error is returned', async () => {
  const code = `export default () => import('${libraries}/missing.js').catch(() => { throw new Error('no library') })`;
  refused(await fixture.service.post('/function', { code }), 400, /^no library/);
});
