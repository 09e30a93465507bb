// Tests the verdicts of the detection lab's judge on recorded reports: that of an untouched browser, as it is and with
// one thing changed at a time.
import * as assert from 'uvu/assert';
import { suite } from '../../support/suite.ts';
import { gateReasons } from './judge/gate-reasons.ts';
import { checkNames } from './judge/checks.ts';
import { countsText, findFaults, type Findings, fingerprintDifferences, judge, passedOf } from './judge/judge.ts';
import type { GateReport, LabReport } from './page/report.ts';
import { printed, stealthFaults } from './print.ts';
import { quietProbes, untouched, watchedProbes } from './recorded.ts';
import type { GateRun, LabRun } from './site.ts';

const test = suite('judge of the detection lab');

const { report } = untouched;
const open: GateRun = { reasons: [], ms: 300 };
const found = (run: LabRun, gate: GateRun = open): Findings => ({ judgment: judge(run), gate: [gate] });
const reference = found(untouched);
const failedBy = (run: LabRun) => {
  const { checks } = judge(run);
  return checkNames.filter((name) => checks[name]?.passes !== true);
};
/** The checks that the recorded browser fails. */
const machineDependentChecks = failedBy(untouched);
const changed = (change: Partial<LabReport>): LabRun => ({ ...untouched, report: { ...report, ...change } });
const withHeaders = (headers: Record<string, string>): LabRun => ({
  ...untouched,
  headers: { ...untouched.headers, ...headers },
});
const { navigator, window, abilities, contexts } = report;

test('there are 43 checks; an untouched browser without a GPU or a desktop fails five', () => {
  assert.is(checkNames.length, 43);
  assert.equal(machineDependentChecks, [
    'WebGL on a real GPU',
    'media devices',
    'voices',
    'taskbar',
    'ActiveText not red',
  ]);
  assert.is(passedOf(reference.judgment), 38);
  assert.equal(findFaults(reference, reference), []);
});

const other = { ...navigator, userAgent: 'another', languages: ['de'] };
const changes: [string, LabRun, string[]][] = [
  ['navigator.webdriver is true', changed({ navigator: { ...navigator, webdriver: 'true' } }), ['webdriver is false']],
  [
    'navigator.webdriver is removed',
    changed({ navigator: { ...navigator, webdriver: 'undefined' } }),
    ['webdriver is false'],
  ],
  ['no languages in Accept-Language', withHeaders({ 'accept-language': '' }), ['Accept-Language header']],
  ['a different User-Agent header', withHeaders({ 'user-agent': 'curl' }), ['User-Agent header']],
  ['a different brand in Sec-CH-UA', withHeaders({ 'sec-ch-ua': '"Brave";v="145"' }), ['Sec-CH-UA header']],
  [
    'empty client hints, as with --user-agent',
    changed({ navigator: { ...navigator, fullVersions: [], architecture: '', bitness: '' } }),
    ['full versions in client hints', 'architecture in client hints'],
  ],
  [
    'a different operating system',
    changed({ navigator: { ...navigator, uaPlatform: 'Windows' } }),
    ['operating systems agree'],
  ],
  [
    'a viewport larger than the window',
    changed({ window: { ...window, inner: { width: 1_600, height: 900 } } }),
    ['window taller than viewport'],
  ],
  [
    "Playwright's default viewport",
    changed({ window: { ...window, inner: { width: 1_280, height: 720 } } }),
    ['viewport not 800x600, 1280x720'],
  ],
  ['no scrollbar', changed({ window: { ...window, scrollbar: 0 } }), ['scrollbar']],
  ['no mouse', changed({ window: { ...window, finePointer: false } }), ['mouse and hover']],
  ['not focused', changed({ window: { ...window, focused: false } }), ['focused and visible']],
  ['slow frames', changed({ window: { ...window, framePaceMs: 90 } }), ['60 frames a second']],
  [
    'a Puppeteer global',
    changed({ abilities: { ...abilities, automationNames: ['__puppeteer'] } }),
    ['no automation globals'],
  ],
  [
    'a replaced function',
    changed({ abilities: { ...abilities, tampered: ['Navigator.webdriver: non-native source text'] } }),
    ['native functions'],
  ],
  [
    'a private address in WebRTC',
    changed({ abilities: { ...abilities, iceCandidates: ['candidate:1 1 udp 1 192.168.0.7 4 typ host'] } }),
    ['no private address in WebRTC'],
  ],
  [
    'a worker that reports different values',
    changed({ contexts: { ...contexts, worker: { navigator: other } } }),
    ['worker matches page'],
  ],
  [
    'a worker that does not report',
    changed({ contexts: { ...contexts, serviceWorker: 'late' } }),
    ['service worker matches page'],
  ],
  [
    'a frame that reports different values',
    changed({ contexts: { ...contexts, frame: { navigator: other } } }),
    ['same-site frames match page'],
  ],
];
for (const [what, run, expected] of changes) {
  test(`${what}: only the matching checks fail`, () => {
    assert.equal(
      failedBy(run).filter((name) => !machineDependentChecks.includes(name)),
      expected,
    );
  });
}

test('checks that depend on machine load or that the reference fails too are not faults', () => {
  assert.equal(findFaults(found(changed({ window: { ...window, framePaceMs: 90 } })), reference), []);
  const silent = found(changed({ abilities: { ...abilities, hasChrome: false } }));
  assert.equal(findFaults(silent, reference), ['window.chrome: false']);
  assert.equal(findFaults(silent, silent), []);
});

test('probe counts must equal the reference in each context; times may be up to 20 times as long', () => {
  assert.is(countsText(quietProbes), '1/3/0/0');
  const listened = changed({ contexts: { ...contexts, crossFrame: { navigator, probes: watchedProbes } } });
  assert.equal(findFaults(found(listened), reference), ['probes in crossFrame: 2/5/1/2, reference 1/3/0/0']);
  const lasting = (tableMicros: number) => found(changed({ probes: { ...quietProbes, tableMicros } }));
  assert.equal(findFaults(lasting(200), reference), []);
  assert.equal(findFaults(lasting(201), reference), ['probes in page: console.table takes 201 µs, limit 200 µs']);
  // With a coarse clock, the reference measures zero.
  assert.equal(findFaults(lasting(199), lasting(0)), []);
  assert.is(findFaults(lasting(201), lasting(0)).length, 1);
});

test('rejection by BotD or the gate is a fault, but not by a gate that rejects the reference too', () => {
  const bot = { bot: true, kind: 'headless_chrome', detectors: ['detectWebDriver'] };
  assert.equal(findFaults(found(changed({ bot })), reference), ['BotD: headless_chrome by detectWebDriver']);
  const closed = found(untouched, { reasons: ['geometry'], ms: 200 });
  assert.equal(findFaults(closed, reference), ['the gate: geometry']);
  assert.equal(findFaults(closed, closed), []);
});

test('the gate admits a browser that looks untouched, and otherwise lists each reason for rejection', () => {
  const { inner, outer, screen } = window;
  const asks: GateReport = { bot: report.bot, webdriver: 'false', probes: quietProbes, inner, outer, screen };
  assert.equal(gateReasons(asks, untouched.headers), []);
  const refused = gateReasons(
    {
      ...asks,
      bot: { bot: true, kind: 'k', detectors: [] },
      webdriver: 'true',
      probes: watchedProbes,
      outer: screen,
      screen: inner,
    },
    { 'user-agent': 'HeadlessChrome' },
  );
  assert.equal(refused, [
    'BotD: k',
    'navigator.webdriver',
    'Runtime.enable',
    'User-Agent',
    'no Accept-Language',
    'geometry',
  ]);
});

test('the table marks each endpoint; only faults of stealth endpoints that are offered fail the run', () => {
  const endpoint = { title: 'an endpoint', visit: () => Promise.resolve() };
  const bad = found(changed({ navigator: { ...navigator, webdriver: 'true' }, fingerprint: { canvas: '"b"' } }));
  const table = {
    referenceTitle: 'a window',
    reference,
    columns: [
      {
        endpoint: { ...endpoint, name: 'plain', stealth: false },
        examined: { state: 'examined', findings: bad, ms: 2_000 },
      },
      {
        endpoint: { ...endpoint, name: 'bad', stealth: true },
        examined: { state: 'examined', findings: bad, ms: 2_000 },
      },
      {
        endpoint: { ...endpoint, name: 'none', stealth: true },
        examined: { state: 'not offered', reason: '404', ms: 1 },
      },
      { endpoint: { ...endpoint, name: 'lost', stealth: true }, examined: { state: 'failed', reason: 'late', ms: 1 } },
    ],
  } as const;
  assert.equal(stealthFaults(table), ['bad: webdriver is false: "true"', 'lost: failed: late']);
  assert.equal(fingerprintDifferences(bad.judgment, reference.judgment), ['canvas', 'audio']);
  const text = printed(table);
  assert.match(text, /^check +R 1 2 3 4$/m);
  assert.match(text, /^webdriver is false +· x x - -$/m);
  assert.match(text, /^voices +x x x - -$/m);
  assert.match(text, '1 plain: an endpoint: 37 of 43, 2.0 s');
  assert.match(text, '1/3/0/0 everywhere; table 10 µs');
});
