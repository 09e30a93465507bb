/**
 * Lists synonyms: common technical terms for things that have other names on the pages. A word on the left also finds
 * the words on the right. The build writes them into the index, so that they are not part of a script.
 */

import { type Synonyms, termOf } from './terms.ts';

/** Words that find each other. */
const alike: readonly (readonly string[])[] = [
  ['url', 'address', 'link', 'uri'],
  ['flag', 'switch', 'argument', 'args'],
  ['bot', 'robot'],
  ['token', 'apikey', 'secret'],
  ['login', 'authentication', 'auth'],
  ['timeout', 'limit'],
  ['error', 'failure', 'fail'],
  ['image', 'picture'],
  ['headful', 'headed'],
  ['ad', 'advertisement'],
  ['consent', 'cookie banner', 'dialog'],
  ['websocket', 'socket'],
  ['parameter', 'option', 'setting'],
  ['video', 'recording', 'screencast'],
  ['upload', 'setinputfiles', 'uploadfile'],
  ['beautifulsoup', 'bs4'],
  ['close', 'end'],
  ['bigger', 'increase', 'raise', 'larger'],
  ['tab', 'page'],
  ['webpage', 'website', 'site', 'page'],
  ['remove', 'delete'],
];

/** Words that find others, but not vice versa. */
const leadsTo: Readonly<Record<string, readonly string[]>> = {
  '402': ['429', 'limit', 'unit'],
  '504': ['timeout', 'proxy'],
  '1006': ['closed', 'connection'],
  '2fa': ['two-factor', 'otp', 'hybrid'],
  balancer: ['balancing'],
  banner: ['consent', 'modal'],
  bandwidth: ['reject', 'cache'],
  bypass: ['unblock', 'stealth'],
  chinese: ['fonts'],
  cpu: ['processor', 'size'],
  crash: ['crashed'],
  dark: ['colour', 'emulatemediatype'],
  deploy: ['deployment', 'production'],
  detect: ['stealth', 'detection'],
  dpi: ['devicescalefactor'],
  econnrefused: ['refused', 'connect', 'connection'],
  econnreset: ['closed', 'connection'],
  emoji: ['fonts'],
  envvar: ['environment', 'variable', 'configuration', 'setting'],
  forbidden: ['403', 'blocked'],
  golang: ['chromedp'],
  headful: ['headless', 'window'],
  healthcheck: ['health', 'probe', 'pressure'],
  infinite: ['scrollpage', 'lazy'],
  install: ['quick', 'docker', 'start'],
  k8s: ['kubernetes'],
  kill: ['end', 'stop'],
  kubernetes: ['probe'],
  lazy: ['scrollpage'],
  leak: ['leftovers', 'close'],
  localhost: ['private', 'loopback'],
  migrate: ['migration', 'move'],
  mobile: ['emulation', 'useragent'],
  monitor: ['metrics', 'prometheus'],
  oom: ['memory', 'crashed'],
  otp: ['two-factor', '2fa'],
  password: ['authenticate', 'token'],
  ram: ['memory'],
  rate: ['queue', '429', 'concurrent'],
  retina: ['devicescalefactor'],
  scale: ['balancing', 'scaling'],
  scroll: ['scrollpage', 'lazy'],
  setcontent: ['html', 'markup'],
  slow: ['performance', 'timeout'],
  ssrf: ['private', 'security'],
  tls: ['certificate'],
  upgrade: ['migration'],
  useragent: ['user-agent', 'agent'],
  viewport: ['window'],
  waiting: ['queue'],
  ws: ['websocket'],
  zombie: ['leftovers', 'close'],
};

/** Returns the synonyms as index terms. */
export function synonymTable(): Synonyms {
  const table = new Map<string, Set<string>>();
  const add = (word: string, others: readonly string[]) => {
    const term = termOf(word);
    const known = table.get(term) ?? new Set();
    for (const other of others.flatMap((each) => each.split(' ')).map(termOf)) if (other !== term) known.add(other);
    table.set(term, known);
  };
  for (const group of alike) for (const word of group) add(word, group);
  for (const [word, others] of Object.entries(leadsTo)) add(word, others);
  return Object.fromEntries([...table].map(([term, others]) => [term, [...others]]));
}
