// Lists the attacks that tests try, by attacker. `test.shows('other-ids', 'HTTP', 'CDP')('…', …)` marks a test that
// tries an attack at these entry points; `npm run promises` generates the table of the security page from the marks.

/**
 * The attacker and the attempt of each attack. test/promises/security.test.ts fails for an attack that no test is
 * marked with.
 */
export const attacks = {
  'no-token': ['A stranger', 'calls without a token, or with a wrong one'],
  'foreign-site': ['A stranger', 'uses the server from a web page that someone on its network opens'],
  'guessed-links': ['A stranger', 'guesses links to live views, recordings and files'],
  'hostile-input': ['A stranger', 'sends bodies and messages that are malformed, deep, huge or never end'],
  'smuggled-requests': ['A stranger', 'hides a request in the body of another, for the connection between two servers'],
  'idle-connections': ['A stranger', 'opens connections and sends nothing, so that nobody else can connect'],
  'private-addresses': ['A page', "reaches private addresses, cloud metadata or the server's ports"],
  'local-files': ['A page', 'reads files of the server'],
  'hanging-page': ['A page', 'never loads, loops, or fills memory and storage'],
  'flooding-page': ['A page', 'floods the browser with navigations or workers to hold up the pages of others'],
  'other-ids': ['Another tenant', 'uses ids, files, profiles and recordings that are not its own'],
  'other-client': ['Another tenant', "attaches to other clients' pages and sessions"],
  'widened-plan': ['Another tenant', 'takes more than its plan, quota or list of domains allows'],
  'flooded-queue': ['Another tenant', 'fills the queue'],
  'dangerous-commands': ['A client', 'sends commands, switches or options that open files, ports or programs'],
  'escaped-paths': ['A client', 'names paths outside the directories that it may use, or replaces files by links'],
  'leaked-secrets': ['A client', 'finds tokens and passwords in logs, errors and metrics'],
  'process-state': ['Another tenant', 'reads the clipboard, or what else a browser process keeps for all of its pages'],
  'recorded-screen': ['Another tenant', 'records the windows of others, or reads what they have selected'],
  'huge-messages': ['A client', 'sends messages with millions of values to stop the server'],
  'other-user': ['Another user of the machine', 'connects to browsers or to their proxies, or reads files of sessions'],
  'false-server': ['Another machine', 'speaks to a cluster without its secret'],
} as const satisfies Record<string, readonly [attacker: string, attempt: string]>;

export type Attack = keyof typeof attacks;

/** The entry points for attacks, in the order in which the security page names them. */
export const entryPoints = [
  'HTTP',
  'REST',
  'function',
  'BrowserQL',
  'CDP',
  'Playwright',
  'sessions',
  'live views',
  'cluster',
  'machine',
] as const;

export type EntryPoint = (typeof entryPoints)[number];
