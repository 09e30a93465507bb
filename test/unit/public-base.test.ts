/** Which proxies are trusted to say which URL a client uses for the server. */
import * as assert from 'uvu/assert';
import { parseConfig } from '../../src/base/config/config.ts';
import { createPublicBase, listeningAddress } from '../../src/web/public-base.ts';
import { suite } from '../support/suite.ts';

const test = suite('public base address');

const headers = new Headers({
  host: 'seen.example:81',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'told.example',
});

/** The base URLs that clients with these IP addresses see. */
async function basesFor(env: Record<string, string>, clients: readonly (string | undefined)[]): Promise<string[]> {
  const readText = () => Promise.resolve(undefined);
  const { config } = await parseConfig({ env, args: [], readText, tmpdir: '/tmp', homedir: '/home/me' });
  const publicBase = createPublicBase(config, () => 'http://localhost:3000');
  return [...new Set(clients.map((client) => publicBase(headers, client)))];
}

test('by default, proxies on loopback and private networks are trusted', async () => {
  const near = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1'];
  assert.equal(await basesFor({}, [...near, 'fd00::7', 'fe80::1%eth0']), ['https://told.example']);
  const far = ['203.0.113.7', '::ffff:203.0.113.7', '2606:4700::1', '172.32.0.1', 'unknown', '', undefined];
  assert.equal(await basesFor({}, far), ['http://seen.example:81']);
});

test('TRUSTED_PROXIES replaces the default list', async () => {
  const env = { TRUSTED_PROXIES: '203.0.113.0/24, 2001:db8::/32' };
  assert.equal(await basesFor(env, ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8::5']), ['https://told.example']);
  const others = ['127.0.0.1', '::1', '10.1.2.3', '203.0.114.1', 'fd00::7'];
  assert.equal(await basesFor(env, others), ['http://seen.example:81']);
});

test('EXTERNAL overrides all headers', async () => {
  const env = { EXTERNAL: 'https://fixed.example/base//' };
  assert.equal(await basesFor(env, ['127.0.0.1', '203.0.113.9', undefined]), ['https://fixed.example/base']);
});

test('a server that listens on all addresses is called localhost', () => {
  const rows: [host: string, expected: string][] = [
    ['0.0.0.0', 'http://localhost:3000'],
    ['::', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
    ['192.168.1.1', 'http://192.168.1.1:3000'],
    ['box.lan', 'http://box.lan:3000'],
  ];
  for (const [host, expected] of rows) assert.is(listeningAddress(host, 3000), expected, host);
});
