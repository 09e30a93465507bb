// What pages and clients can reach, and the browsers' command-line switches.
import { differs, coveredBy, type Row } from './row.ts';

export const networkRows: readonly Row[] = [
  ...coveredBy('unit/network-policy', {
    'network: IPv6 addresses that contain IPv4 addresses':
      'private networks are open by default and can be blocked, in every spelling',
    'network: IPv4 as a decimal, hexadecimal, and octal number':
      'parses every spelling of an address that a URL allows',
    'network: loopback, 0/8, 172.16/12 and the other private ranges':
      'private networks are open by default and can be blocked, in every spelling',
    'network: IPv6 ranges': 'private networks are open by default and can be blocked, in every spelling',
    'network: private networks are open by default':
      'private networks are open by default and can be blocked, in every spelling',
    'network: invalid addresses are blocked': 'anything that is not an address is blocked',
    'network: public addresses are allowed': 'public addresses stay open',
    'network: protocols in any spelling': 'non-web schemes are forbidden in every spelling',
    'network: file: if it is allowed': 'file: is allowed if the operator enables it, but view-source: of a file is not',
    'network: the host is checked, not a username that looks like one': [
      'a URL with a literal forbidden address is rejected before a browser sees it',
      'http://example.com@169.254.169.254/',
    ],
  }),
  ...coveredBy('unit/protocol-addresses', {
    'network: every command that opens a URL is checked, others are not': 'every command that opens a URL is checked',
  }),
  ...coveredBy('endings/safety', {
    'network: file: is a 403 on content': ['… rejects …', '/content'],
    'network: file: is a 403 on pdf': ['… rejects …', '/pdf'],
    'network: file: is a 403 on screenshot': ['… rejects …', '/screenshot'],
    'network: file: is a 403 on scrape': ['… rejects …', '/scrape'],
    'network: blocked private networks are a 403': 'BLOCK_PRIVATE_NETWORK blocks http://…/',
    'network: redirects do not bypass the filter': 'a public-looking redirect cannot lead into the private network',
  }),
  ...coveredBy('contract/performance', {
    'network: file: is a 403 on performance': 'rejects invalid bodies and access to server files',
  }),
  ...coveredBy('sockets/launch', {
    'network: pages of socket clients use the same filter': "clients' pages are subject to the network filter too",
  }),

  ...coveredBy('unit/playwright-guard', {
    'Playwright messages: keys at every depth, in any case':
      'forbidden URLs end the session, in every spelling and at every depth',
    'Playwright messages: blanks and control characters': [
      'forbidden URLs end the session, in every spelling and at every depth',
      ' \tfile:///x',
    ],
    'Playwright messages: one slash': [
      'forbidden URLs end the session, in every spelling and at every depth',
      'FILE:/etc/passwd',
    ],
    'Playwright messages: view-source, nested': [
      'forbidden URLs end the session, in every spelling and at every depth',
      'view-source: view-source:file:///x',
    ],
    'Playwright messages: percent escapes': [
      'forbidden URLs end the session, in every spelling and at every depth',
      'file:///etc/%70asswd',
    ],
    'Playwright messages: Unicode escapes': [
      'forbidden URLs end the session, in every spelling and at every depth',
      '{"id":1,"params":{"\\u0075rl":"\\u0066ile:///x"}}',
    ],
    'Playwright messages: keys that only resemble url pass': 'ordinary URLs pass, as do keys that only resemble url',
    'Playwright messages: messages from the browser are checked too':
      'detects pages with a forbidden URL in messages from the server',
    'Playwright messages: not checked if file: is allowed': 'ordinary URLs pass, as do keys that only resemble url',
  }),
  ...coveredBy('sockets/playwright', {
    'Playwright messages: binary messages are rejected':
      'a file: URL ends the session with 1008, and a binary message with 1003',
    'Playwright messages: unreadable messages close the connection':
      'a message that cannot be inspected ends the session',
    'Playwright messages: a client that disconnects during the upgrade':
      'a client that disconnects in any way leaves nothing behind, even before its browser has started',
  }),

  ...coveredBy('unit/flags', {
    'switches: one --disable-features from server and client, each name once':
      "a single --disable-features merges our features with the caller's, without duplicates",
    "switches: the component updater is off, even with the client's switches":
      'the component updater stays off when the caller passes flags',
    'switches: no duplicates': 'no flag is passed twice',
  }),
  ...coveredBy('unit/playwright', {
    'switches: one --disable-features from Playwright, server, and client':
      'feature switches of Playwright, the server and the caller are merged, with each feature once',
    'switches: none of these for Firefox':
      'Firefox: the proxy in preferences too, preferences of the caller except the reserved ones, no Chromium switches',
  }),
  ...differs({
    "network: pages can reach the server's own host and port": 'Pages may reach cloud metadata and the server itself',
    'network: a forbidden address closes page and browser': 'A forbidden URL closes the browser',
  }),
];
