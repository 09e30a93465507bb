// What pages and clients may reach, and the browsers' command-line switches.
import { differs, heldBy, type Row } from './row.ts';

export const networkRows: readonly Row[] = [
  ...heldBy('unit/network-policy', {
    'network: IPv6 addresses that hold IPv4 ones':
      'private networks are open by default and closed on demand, in all spellings',
    'network: IPv4 as decimal, hexadecimal and octal number': 'reads every spelling of an address that a URL allows',
    'network: loopback, 0/8, 172.16/12 and the other private ranges':
      'private networks are open by default and closed on demand, in all spellings',
    'network: ranges of IPv6': 'private networks are open by default and closed on demand, in all spellings',
    'network: nothing private is closed unless it was asked for':
      'private networks are open by default and closed on demand, in all spellings',
    'network: what is no address is closed': 'what is no address is refused',
    'network: public addresses stay open': 'public addresses stay open',
    'network: protocols, however they are written':
      'schemes other than the web’s are forbidden, however they are written',
    'network: file: where it is allowed': 'file: is allowed when the operator says so, view-source: of it is not',
    'network: the host counts, not a user name that looks like one': [
      'a literal forbidden address is refused before any browser sees it',
      'http://example.com@169.254.169.254/',
    ],
  }),
  ...heldBy('unit/protocol-addresses', {
    'network: every command that opens an address is looked at, others are not':
      'every command that opens an address is checked',
  }),
  ...heldBy('endings/safety', {
    'network: file: is a 403 on content': ['… refuses …', '/content'],
    'network: file: is a 403 on pdf': ['… refuses …', '/pdf'],
    'network: file: is a 403 on screenshot': ['… refuses …', '/screenshot'],
    'network: file: is a 403 on scrape': ['… refuses …', '/scrape'],
    'network: closed private networks are a 403': 'BLOCK_PRIVATE_NETWORK refuses http://…/',
    'network: redirects lead nowhere else': 'a public-looking redirect cannot lead into the private network',
  }),
  ...heldBy('contract/performance', {
    'network: file: is a 403 on performance': 'wrong bodies and what would reach files of the server',
  }),
  ...heldBy('sockets/launch', {
    'network: pages of sockets pass the same filter': 'pages of clients pass the network filter too',
  }),

  ...heldBy('unit/playwright-guard', {
    'Playwright messages: keys at every depth, in any case':
      'addresses of files end the session, in each spelling and at each depth',
    'Playwright messages: blanks and control characters': [
      'addresses of files end the session, in each spelling and at each depth',
      ' \tfile:///x',
    ],
    'Playwright messages: one slash': [
      'addresses of files end the session, in each spelling and at each depth',
      'FILE:/etc/passwd',
    ],
    'Playwright messages: view-source, nested': [
      'addresses of files end the session, in each spelling and at each depth',
      'view-source: view-source:file:///x',
    ],
    'Playwright messages: percent escapes': [
      'addresses of files end the session, in each spelling and at each depth',
      'file:///etc/%70asswd',
    ],
    'Playwright messages: Unicode escapes': [
      'addresses of files end the session, in each spelling and at each depth',
      '{"id":1,"params":{"\\u0075rl":"\\u0066ile:///x"}}',
    ],
    'Playwright messages: keys that only resemble url pass': 'ordinary addresses pass, and keys that only resemble url',
    'Playwright messages: what the browser tells is looked at too':
      'pages that show a forbidden address are seen in what the server tells',
    'Playwright messages: off where file: is allowed': 'ordinary addresses pass, and keys that only resemble url',
  }),
  ...heldBy('sockets/playwright', {
    'Playwright messages: binary ones are refused':
      'a file address ends the session with 1008, and a binary message with 1003',
    'Playwright messages: what cannot be read ends the connection':
      'a message that cannot be looked at ends the session',
    'Playwright messages: an upgrade that its client leaves':
      'a client that leaves in any way leaves nothing, also before its browser is there',
  }),

  ...heldBy('unit/flags', {
    'switches: one --disable-features, of server and caller, each name once':
      'one merged --disable-features holds ours and the caller’s, without duplicates',
    'switches: the component updater is off, also with switches of the caller':
      'the component updater stays off with a caller’s own flags',
    'switches: none twice': 'no flag is given twice',
  }),
  ...heldBy('unit/playwright', {
    'switches: one --disable-features, of Playwright, server and caller':
      'one switch of features: those of Playwright, ours and the caller’s, each once',
    'switches: none of these for Firefox':
      'Firefox: proxy by preferences too, callers’ preferences but for the server’s, no foreign switches',
  }),
  ...differs({
    'network: pages may reach the own host and port': 'Pages may reach cloud metadata and the server itself',
    'network: a forbidden address closes page and browser': 'A forbidden address closes the browser',
  }),
];
