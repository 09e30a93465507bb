// Host names whose DNS servers do not respond, with the system's own resolver: they delay neither file access nor other
// names.
import { createSocket } from 'node:dgram';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { cannotUnshare } from '../support/namespaces.ts';
import { startProcess } from '../support/service.ts';
import { startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const test = suite('names', { timeoutMs: 90_000 });

/** A name server that answers queries for one name and ignores all others. */
async function startNameServer(known: string) {
  const socket = createSocket('udp4');
  const asked = new Set<string>();
  // Resolvers use port 53, so each run picks a different loopback address.
  const byte = () => 1 + Math.floor(Math.random() * 250);
  const address = `127.${byte()}.${byte()}.${byte()}`;
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.subarray(at + 1, at + 1 + length).toString());
      at += 1 + length;
    }
    const name = labels.join('.');
    asked.add(name);
    if (name !== known) return;
    // RFC 1035 section 4.1: repeat the question; one address for type A, none for other types.
    const isAddress = query.readUInt16BE(at + 1) === 1;
    const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0]);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]);
    const parts = [header, query.subarray(12, at + 5), ...(isAddress ? [record] : [])];
    socket.send(Buffer.concat(parts), from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(53, address, resolve);
  });
  return { address, asked, [Symbol.dispose]: () => socket.close() };
}

test.unless(cannotUnshare('--mount'))(
  'pages with host names that never resolve do not delay other requests',
  async () => {
    const directory = temporaryDirectory();
    await using site = await startSite();
    using names = await startNameServer('quick.test');
    const file = join(directory, 'resolv.conf');
    writeFileSync(file, `nameserver ${names.address}\noptions timeout:5 attempts:2\n`);
    const mount = `mount --bind '${file}' /etc/resolv.conf && exec "$@"`;
    await using service = await startProcess({
      env: { CONCURRENT: '20', HEALTH: 'false' },
      under: ['unshare', '--mount', 'sh', '-c', mount, 'sh'],
    });
    assert.match(
      readFileSync('/etc/resolv.conf', 'utf8').includes(names.address) ? 'also mounted outside the namespace' : '',
      /^$/,
    );
    succeeded(await service.post('/content', { html: '<p>warm</p>' }));
    const pages = Array.from({ length: 8 }, (_, index) =>
      service.post('/content', { url: `http://host${index}.hanging${index}.test/` }, { query: { timeout: 15_000 } }),
    );
    await until('the names to be queried', () => names.asked.size >= 8);
    const began = idleNow();
    const code = `export default async ({ page }) => {
    await page.setContent('<a download="a.txt" href="data:,file">get</a>');
    await page.click('a');
  }`;
    const launch = JSON.stringify({ args: ['--lang=fr'] });
    const [content, own, download, document, active] = await Promise.all([
      service.post('/content', { url: `http://quick.test:${site.port}/` }, { query: { timeout: 5_000 } }),
      service.post('/content', { html: '<p>a new profile</p>' }, { query: { launch, timeout: 5_000 } }),
      service.post('/download', code, {
        headers: { 'content-type': 'application/javascript' },
        query: { timeout: 5_000 },
      }),
      service.get('/openapi.json'),
      service.get('/active'),
    ]);
    for (const reply of [content, own, download]) succeeded(reply);
    assert.is(download.text, 'file');
    assert.is(document.status, 200);
    assert.is(active.status, 204);
    assert.ok(idleNow() - began < 5_000, `took ${idleNow() - began} ms`);
    for (const reply of await Promise.all(pages))
      refused(reply, 500, 'the hostname could not be resolved (temporary DNS failure)');
  },
);
