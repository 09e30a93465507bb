// What pages and requests must not reach by any path: local files, the service's own ports, forbidden addresses.
import { createServer, type Server } from 'node:net';
import * as assert from 'uvu/assert';
import { messageOf, refused, succeeded } from '../support/checks/expect.ts';
import { processTree } from '../support/processes.ts';
import { processSuite } from '../support/fixture.ts';
import { type Service, startService } from '../support/service.ts';

const { test, service: open, site } = processSuite('safety', { env: { TOKEN: 'canary-token-1' } });
let closed: Service;

test.before(async () => (closed = await startService({ env: { BLOCK_PRIVATE_NETWORK: 'true' } })));
test.after(() => closed.stop());

const routes = ['/content', '/markdown', '/pdf', '/screenshot', '/scrape'];
const bodyFor = (route: string, fields: object) => ({ ...fields, ...(route === '/scrape' ? { elements: [] } : {}) });
const text = async (service: Service, fields: object) => succeeded(await service.post('/content', fields)).text;

for (const route of routes) {
  for (const url of [
    'file:///etc/passwd',
    'view-source:file:///etc/passwd',
    'chrome://version',
    'http://169.254.169.254/',
  ]) {
    if (route !== '/markdown') test.peer('network and switches');
    test(`${route} rejects ${url}`, async () => {
      refused(await open.post(route, bodyFor(route, { url })), 403, 'Navigation to', 'is not allowed');
    });
  }
}

for (const target of ['file:///etc/passwd', 'chrome://version', 'view-source:http://127.0.0.1/']) {
  test.shows('local-files', 'REST');
  test(`subresources, frames, and fetch cannot load ${target}`, async () => {
    const url = `${site.url}/forbidden?target=${encodeURIComponent(target)}`;
    const html = await text(open, { url, waitForSelector: { selector: '#report' } });
    assert.not.match(html, /root:|Chromium\s+\d/);
  });
}

test('markup in a request cannot read files', async () => {
  const html = await text(open, {
    html: '<iframe id="f" src="file:///etc/passwd"></iframe><img src="file:///etc/passwd"><p id="done">done</p>',
    addScriptTag: [
      { content: 'try { window.open("file:///etc/passwd"); location.href = "file:///etc/passwd"; } catch {}' },
    ],
    bestAttempt: true,
  });
  assert.not.match(html, /root:/);
  assert.match(html, /id="done"/);
});

test('disabling web security does not give access to files', async () => {
  const query = { launch: JSON.stringify({ args: ['--disable-web-security'] }) };
  const fields = { url: `${site.url}/forbidden`, waitForSelector: { selector: '#report' } };
  const reply = succeeded(await open.post('/content', fields, { query }));
  assert.not.match(reply.text, /root:/);
  const launch = JSON.stringify({ args: ['--allow-file-access-from-files'] });
  refused(await open.post('/content', fields, { query: { launch } }), 400, 'reads a file on the server');
});

test('a redirect to a file is blocked', async () => {
  const reply = await open.post('/content', {
    url: `${site.url}/redirect?to=${encodeURIComponent('file:///etc/passwd')}`,
  });
  assert.ok(reply.status >= 400, String(reply.status));
  assert.not.match(reply.text, /root:/);
});

test.shows('private-addresses', 'REST');
test.differs('Pages may reach cloud metadata and the server itself');
test('pages cannot reach the service under any of its names', async () => {
  for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', 'any.localhost', '[::ffff:127.0.0.1]', '2130706433']) {
    const reply = await open.post('/content', { url: `http://${host}:${open.port}/config?token=canary-token-1` });
    refused(reply, 403, /belongs to this service|is the unspecified address/);
  }
  const target = encodeURIComponent(`http://127.0.0.1:${open.port}/openapi.json`);
  const html = await text(open, {
    url: `${site.url}/forbidden?target=${target}`,
    waitForSelector: { selector: '#report' },
  });
  assert.match(html, /failed/);
});

test('no browser listens on a port', () => {
  const browsers = processTree(open.pid).filter(({ command }) => command.includes('--user-data-dir'));
  assert.ok(browsers.length > 0);
  for (const { command } of browsers) assert.not.match(command, /--remote-debugging-(port|address)/);
});

test.peer('management and settings');
test('tokens and the rest of the environment are not passed to browsers', () => {
  for (const { pid, command, environment } of processTree(open.pid)) {
    if (pid === open.pid) continue;
    assert.not.match(command + environment, /canary-token-1/);
  }
});

const privateForms = [
  '127.0.0.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '0.0.0.0',
  '10.0.0.1',
  '192.168.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[fd00::1]',
];
for (const host of privateForms) {
  test.peer('network and switches', 'network: blocked private networks are a 403');
  test(`BLOCK_PRIVATE_NETWORK blocks http://${host}/`, async () => {
    refused(await closed.post('/content', { url: `http://${host}:${site.port}/` }), 403, 'is not allowed');
  });
}

test('BLOCK_PRIVATE_NETWORK blocks names of private addresses', async () => {
  for (const host of ['localhost', 'localhost.', 'sub.localhost']) {
    refused(await closed.post('/content', { url: `http://${host}:${site.port}/` }), 403, 'is not allowed');
  }
});

test.proves('BLOCK_PRIVATE_NETWORK');
test.differs('Access to private networks can be blocked only in code');
test('BLOCK_PRIVATE_NETWORK applies to everything that a page does: no connection arrives', async () => {
  const touched: string[] = [];
  const listener: Server = createServer((socket) => {
    touched.push('connection');
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const target = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const html = `<link rel="preconnect" href="http://${target}"><link rel="stylesheet" href="http://${target}/s.css">
<img src="http://${target}/i.png"><iframe src="http://${target}/f"></iframe>
<script>
const done = [];
const seen = (name) => { done.push(name); if (done.length === 4) document.body.id = 'done'; };
fetch('http://${target}/fetch').catch(() => seen('fetch'));
const socket = new WebSocket('ws://${target}/ws'); socket.onerror = () => seen('websocket');
const source = new EventSource('http://${target}/es'); source.onerror = () => { source.close(); seen('eventsource'); };
navigator.sendBeacon('http://${target}/beacon', 'x');
const code = "const s = new WebSocket('ws://${target}/worker'); s.onerror = () => postMessage('x')";
new Worker(URL.createObjectURL(new Blob([code]))).onmessage = () => seen('worker');
const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${target}' }] });
peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
</script>`;
  succeeded(await closed.post('/content', { html, waitForSelector: { selector: '#done', timeout: 10_000 } }));
  assert.equal(touched, []);
  await new Promise<void>((resolve) => listener.close(() => resolve()));
});

test.peer('network and switches');
test('a public-looking redirect cannot lead into the private network', async () => {
  // The site is on loopback, so the first hop is already blocked. The egress filter checks each connection again.
  const reply = await closed.post('/content', { url: `${site.url}/redirect?to=http://10.0.0.1/` });
  refused(reply, 403);
});

test('every kind of redirect to a link-local address is blocked', async () => {
  for (const code of [301, 302, 303, 307, 308]) {
    const to = encodeURIComponent('http://169.254.169.254/latest/meta-data');
    refused(await open.post('/content', { url: `${site.url}/redirect?code=${code}&to=${to}` }), 403, '169.254.169.254');
  }
});

const dangerous = [
  '--renderer-cmd-prefix=/bin/false',
  '--gpu-launcher=/bin/false',
  '--utility-cmd-prefix=/bin/false',
  '--browser-subprocess-path=/bin/false',
  '--remote-debugging-port=0',
  '--remote-debugging-address=0.0.0.0',
  '--load-extension=/tmp',
  '--no-proxy-server',
  '--proxy-pac-url=data:,x',
  '--log-file=/tmp/x',
  '-renderer-cmd-prefix=/bin/false',
  '--RENDERER-CMD-PREFIX=/bin/false',
  ' --gpu-launcher=/bin/false',
];
for (const arg of dangerous) {
  test.shows('dangerous-commands', 'REST');
  test(`the launch argument ${JSON.stringify(arg)} is rejected`, async () => {
    const reply = await open.post('/content', { html: 'x' }, { query: { launch: JSON.stringify({ args: [arg] }) } });
    refused(reply, 400, 'is not allowed');
  });
}

test("a client's proxy cannot be a forbidden address, and direct:// is not a proxy", async () => {
  const through = (proxy: string) =>
    open.post('/content', { html: 'x' }, { query: { launch: JSON.stringify({ args: [`--proxy-server=${proxy}`] }) } });
  refused(await through('http://169.254.169.254:80'), 403, 'link-local');
  refused(await through(`127.0.0.1:${open.port}`), 403, 'belongs to this service');
  refused(await through('direct://'), 400, 'must be a proxy');
});

test('responses with third-party markup are sandboxed and not sniffed', async () => {
  for (const route of routes) {
    const reply = succeeded(await open.post(route, bodyFor(route, { html: '<script>alert(1)</script>' })));
    assert.is(reply.headers['content-security-policy'], 'sandbox');
    assert.is(reply.headers['x-content-type-options'], 'nosniff');
  }
});

test('header values with line breaks are rejected', async () => {
  const value = 'a\r\nX-Injected: yes';
  for (const fields of [
    { setExtraHTTPHeaders: { 'X-Test': value } },
    { requestInterceptors: [{ pattern: '.', response: { headers: { 'X-Test': value }, body: 'x' } }] },
  ]) {
    const reply = await open.post('/content', { url: `${site.url}/`, ...fields });
    refused(reply, 400);
    assert.is(reply.headers['x-injected'], undefined);
  }
});

test.shows('leaked-secrets', 'REST');
test('secrets do not appear in the log or error messages', async () => {
  const secrets = ['canary-token-1', 'canary-cookie', 'canary-password', 'canary-header'];
  const fields = {
    url: 'http://user:canary-password@127.0.0.1:9/',
    cookies: [{ name: 'a', value: 'canary-cookie', domain: 'bad domain' }],
    authenticate: { username: 'u', password: 'canary-password' },
    setExtraHTTPHeaders: { Authorization: 'Bearer canary-header' },
  };
  const reply = await open.post('/content', fields, { token: null, query: { token: 'canary-token-1' } });
  assert.ok(reply.status >= 400);
  await open.post('/content', { ...fields, cookies: [], nonsense: 1 });
  await open.post('/content', { ...fields, cookies: [] });
  await open.get('/sessions', { token: null, query: { token: 'canary-token-1' } });
  for (const secret of secrets) {
    assert.not.ok(messageOf(reply).includes(secret), `${secret} in ${messageOf(reply)}`);
    assert.not.ok(open.output().includes(secret), `${secret} in the log`);
    assert.not.ok((await open.get('/metrics', { headers: { accept: 'text/plain' } })).text.includes(secret));
  }
});
