// @runs newest
/** Tests which addresses and URL schemes pages may reach, in every spelling, and which hosts lists of domains cover. */
import * as assert from 'uvu/assert';
import { NetworkPolicy } from '../../src/browser/network/policy.ts';
import {
  bracketed,
  covers,
  isInRange,
  isPrivateAddress,
  parseAddress,
  parseDomain,
  parseRange,
  unbracketed,
} from '../../src/base/schema/request/addresses.ts';
import { hasCode } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const test = suite('network policy');

const policy = (blockPrivateNetwork: boolean, allowFileProtocol = false) =>
  new NetworkPolicy({ blockPrivateNetwork, allowFileProtocol, ownAddresses: () => ['192.168.7.7', 'fd00::7'] });

test.peer('network and switches');
test('parses every spelling of an address that a URL allows', () => {
  const spellings = words(`
    127.0.0.1 2130706433 0x7f000001 0177.0.0.1 127.1 0x7f.1 127.0.0.1. １２７.0.0.1
  `);
  for (const spelling of spellings) {
    assert.equal(parseAddress(spelling)?.toByteArray(), [127, 0, 0, 1], spelling);
  }
  assert.is(parseAddress('::ffff:127.0.0.1')?.toByteArray().length, 16);
  for (const text of ['example.com', '127.0.0.256', '0x7f.0xg', '', '[::1]', '::1::', 'fe80::1%eth0', '10.0.0.1:80']) {
    assert.is(parseAddress(text), undefined, text);
  }
});

test('parses ranges and single addresses of both families', () => {
  const holds = (range: string, address: string) => {
    const [parsed, bytes] = [parseRange(range), parseAddress(address)];
    return parsed !== undefined && bytes !== undefined && isInRange(parsed, bytes);
  };
  assert.ok(holds('10.0.0.0/8', '10.255.0.1'));
  assert.not(holds('10.0.0.0/8', '11.0.0.0'));
  assert.ok(holds('192.0.2.64/26', '192.0.2.127'));
  assert.not(holds('192.0.2.64/26', '192.0.2.128'));
  assert.ok(holds('192.0.2.7', '192.0.2.7'));
  assert.ok(holds('0.0.0.0/0', '255.255.255.255'));
  assert.ok(holds('2001:db8::/33', '2001:db8:7fff::1'));
  assert.not(holds('2001:db8::/33', '2001:db8:8000::1'));
  assert.not(holds('::/0', '10.0.0.1'));
  for (const text of words(`
    10.0.0.0/33 ::/129 10.0.0.0/ 10.0.0.0/8/8 /8 name/8 fe80::1%eth0/64 1.2.3.4/-1
  `)) {
    assert.is(parseRange(text), undefined, text);
  }
});

test('adds and removes the brackets of IPv6 hosts', () => {
  for (const [plain, inUrls] of [
    ['::1', '[::1]'],
    ['10.0.0.1', '10.0.0.1'],
    ['example.com', 'example.com'],
  ] as const) {
    assert.is(bracketed(plain), inUrls);
    assert.is(unbracketed(inUrls), plain);
  }
});

test('recognizes private addresses in every form', () => {
  for (const address of ['::1', '::ffff:192.168.0.9', 'fe80::1%eth0', '100.127.255.255', '2002:0a00:0001::']) {
    assert.ok(isPrivateAddress(address), address);
  }
  for (const address of ['8.8.8.8', '100.128.0.0', '2606:4700::1', '::ffff:8.8.8.8', 'fe80', 'name']) {
    assert.not(isPrivateAddress(address), address);
  }
});

test('link-local and metadata addresses are always blocked', () => {
  const open = policy(false);
  const refused = words(`
    169.254.169.254 169.254.0.1 fe80::1 febf::1 fd00:ec2::254 100.100.100.200 168.63.129.16
    ::ffff:169.254.169.254 ::ffff:a9fe:a9fe 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1
  `);
  for (const address of refused) assert.ok(open.refusal(address, 80), address);
});

test.peer('network and switches');
test.peer('network and switches', 'network: IPv6 addresses that contain IPv4 addresses');
test.peer('network and switches', 'network: loopback, 0/8, 172.16/12 and the other private ranges');
test.peer('network and switches', 'network: IPv6 ranges');
test('private networks are open by default and can be blocked, in every spelling', () => {
  const addresses = words(`
    127.0.0.1 127.8.9.1 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 ::1 fc00::1 fdff::1 fec0::1
    ::ffff:10.0.0.1 ::ffff:7f00:1 64:ff9b::7f00:1 2002:c0a8:0101::1 2001:0:4136:e378:8000:63bf:80ff:fffe
    2001:0:7f00:1::1 ::127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b:1::a00:1
  `);
  for (const address of addresses) {
    assert.is(policy(false).refusal(address, 80), undefined, address);
    assert.ok(policy(true).refusal(address, 80), address);
  }
});

test('unspecified addresses are always blocked, in every spelling', () => {
  const spellings = ['0.0.0.0', '0', '0.1.2.3', '0x0', '00.0', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '::ffff:0:0'];
  for (const address of [...spellings, '64:ff9b::', '2002:0000:0000::', '::0.0.0.2']) {
    assert.ok(policy(false).refusal(address, 8_080), address);
  }
  assert.is(policy(false).refusal('::1', 8_080), undefined);
});

test('a cluster server on this machine is blocked at every address of the machine', () => {
  const spellings = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '192.168.7.7', '::ffff:c0a8:707', 'fd00::7'];
  for (const listens of ['127.4.5.6', '::1', '192.168.7.7', 'fd00::7', '0.0.0.0', '::', '::ffff:127.0.0.1']) {
    const guarded = policy(false);
    guarded.protectServer(listens, 3_001);
    for (const address of spellings) {
      assert.match(guarded.refusal(address, 3_001) ?? '', 'of this cluster', `${listens} at ${address}`);
      assert.is(guarded.refusal(address, 3_002), undefined, `${listens} at ${address}`);
    }
    assert.is(guarded.refusal('192.168.7.8', 3_001), undefined, listens);
  }
  const guarded = policy(false);
  guarded.protectServer('192.168.7.8', 3_001);
  assert.ok(guarded.refusal('::ffff:192.168.7.8', 3_001));
  assert.is(guarded.refusal('127.0.0.1', 3_001), undefined);
});

test.peer('network and switches');
test('public addresses stay open', () => {
  for (const address of ['93.184.216.34', '172.32.0.1', '11.0.0.1', '2606:2800:220:1::1', '::ffff:93.184.216.34']) {
    assert.is(policy(true).refusal(address, 443), undefined, address);
  }
});

test.peer('network and switches');
test('anything that is not an address is blocked', () => {
  assert.ok(policy(false).refusal('not an address', 80));
});

test('our own port is blocked at every address of the machine, other ports stay open', () => {
  const guarded = policy(false);
  const release = guarded.protectPort(3000);
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '192.168.7.7', 'fd00::7']) {
    assert.ok(guarded.refusal(address, 3000), address);
    assert.is(guarded.refusal(address, 3001), undefined, address);
  }
  assert.is(guarded.refusal('93.184.216.34', 3000), undefined);
  release();
  assert.is(guarded.refusal('127.0.0.1', 3000), undefined);
});

test.peer('network and switches');
test('non-web schemes are forbidden in every spelling', () => {
  const urls = [
    ...words(`
    file:///etc/passwd FILE:///etc/passwd view-source:file:///etc/passwd view-source:http://example.com
    chrome://version chrome:version devtools://devtools/bundled/inspector.html about:version
    javascript:alert(1) filesystem:http://example.com/temporary/x blob:http://example.com/1 ftp://example.com/
    ws://example.com/
  `),
    '  file:/etc/passwd',
    '\u0001file:///etc/passwd',
    'fi\nle:///etc/passwd',
  ];
  for (const url of urls) assert.throws(() => policy(false).checkUrl(url), hasCode('forbidden-destination'), url);
});

test.peer('network and switches');
test('file: is allowed if the operator enables it, but view-source: of a file is not', () => {
  policy(false, true).checkUrl('file:///tmp/x.html');
  assert.throws(() => policy(false, true).checkUrl('view-source:file:///tmp/x'), hasCode('forbidden-destination'));
});

test('http, https, data and about:blank pass; anything that is not a URL returns a 400', () => {
  for (const url of words(`
    http://example.com HTTPS://example.com/a?b data:text/html,<p>x about:blank
    http://169.254.169.254@example.com/
  `)) {
    policy(true).checkUrl(url);
  }
  for (const text of ['', 'example.com', '/path', 'http://']) {
    assert.throws(() => policy(false).checkUrl(text), hasCode('invalid-body'), text);
  }
});

test.peer('network and switches', 'network: the host is checked, not a username that looks like one');
test('a URL with a literal forbidden address is rejected before a browser sees it', () => {
  for (const url of [
    'http://169.254.169.254/',
    'http://0xa9fea9fe/',
    'http://[::ffff:169.254.169.254]/',
    'http://example.com@169.254.169.254/',
  ]) {
    assert.throws(() => policy(false).checkUrl(url), hasCode('forbidden-destination'), url);
  }
  assert.throws(() => policy(true).checkUrl('http://2130706433/'), hasCode('forbidden-destination'));
});

test('normalizes domains and rejects invalid ones', () => {
  for (const [written, read] of [
    ['Example.COM.', 'example.com'],
    [' *.Example.com ', '*.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['[::1]', '0:0:0:0:0:0:0:1'],
    ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
  ]) {
    assert.is(parseDomain(written ?? ''), read);
  }
  for (const text of [
    ...words('. * *. *.* a..b -a.b a/b a:1 u@a http://a a? a# %41 *.127.0.0.1'),
    '',
    'a b',
    `${'a'.repeat(250)}.com`,
  ]) {
    assert.is(parseDomain(text), undefined, text);
  }
});

test('a list covers the hosts that match it, and no others', () => {
  const list = ['example.com', '*.inner.example', '10.0.0.1', '0:0:0:0:0:0:0:1'];
  for (const host of words(`
    example.com EXAMPLE.com. a.b.example.com x.inner.example 10.0.0.1 ::1 [::1] 0:0:0:0:0:0:0:1
  `)) {
    assert.ok(covers(list, host), host);
  }
  for (const host of [
    ...words(`
    badexample.com example.com.evil.org inner.example com 10.0.0.10 ::ffff:10.0.0.1 a.10.0.0.1 ::2
    example.com@evil.org evil.org#example.com evil.org/.example.com
  `),
    '',
  ]) {
    assert.not.ok(covers(list, host), host);
  }
});
