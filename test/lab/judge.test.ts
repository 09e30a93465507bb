// Tests the verdicts of the detection lab's judge on recorded facts: those of an untouched browser, with and without
// one thing changed.
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';
import { gateReasons } from './judge/gate-reasons.ts';
import { checkNames } from './judge/checks.ts';
import { countsText, faultsOf, type Findings, fingerprintDifferences, judge, passedOf } from './judge/judge.ts';
import type { GateReport, LabReport } from './page/report.ts';
import { printed, stealthFaults } from './print.ts';
import { quietProbes, untouched, watchedProbes } from './recorded.ts';
import type { GateRun, LabRun } from './site.ts';

const test = suite('judge of the detection lab');

const { report } = untouched;
const open: GateRun = { reasons: [], ms: 300 };
const found = (run: LabRun, gate: GateRun = open): Findings => ({ judgement: judge(run), gate: [gate] });
const reference = found(untouched);
const failedBy = (run: LabRun) => {
  const { checks } = judge(run);
  return checkNames.filter((name) => checks[name]?.passes !== true);
};
/** The checks that the recorded browser fails. */
const ofTheMachine = failedBy(untouched);
const changed = (change: Partial<LabReport>): LabRun => ({ ...untouched, report: { ...report, ...change } });
const withHeaders = (headers: Record<string, string>): LabRun => ({
  ...untouched,
  headers: { ...untouched.headers, ...headers },
});
const { navigator, window, abilities, contexts } = report;

test('there are 43 checks; an untouched browser without GPU and desktop fails five', () => {
  assert.is(checkNames.length, 43);
  assert.equal(ofTheMachine, ['WebGL of a real GPU', 'media devices', 'voices', 'taskbar', 'ActiveText not red']);
  assert.is(passedOf(reference.judgement), 38);
  assert.equal(faultsOf(reference, reference), []);
});

const other = { ...navigator, userAgent: 'another', languages: ['de'] };
const changes: [string, LabRun, string[]][] = [
  ['webdriver', changed({ navigator: { ...navigator, webdriver: 'true' } }), ['webdriver is false']],
  ['webdriver removed', changed({ navigator: { ...navigator, webdriver: 'undefined' } }), ['webdriver is false']],
  ['no languages sent', withHeaders({ 'accept-language': '' }), ['header Accept-Language']],
  ['another agent sent', withHeaders({ 'user-agent': 'curl' }), ['header User-Agent']],
  ['another brand sent', withHeaders({ 'sec-ch-ua': '"Brave";v="145"' }), ['header Sec-CH-UA']],
  [
    'a switch --user-agent empties the hints',
    changed({ navigator: { ...navigator, fullVersions: [], architecture: '', bitness: '' } }),
    ['full versions in client hints', 'architecture in client hints'],
  ],
  ['another system', changed({ navigator: { ...navigator, uaPlatform: 'Windows' } }), ['one operating system']],
  [
    'a viewport larger than the window',
    changed({ window: { ...window, inner: { width: 1_600, height: 900 } } }),
    ['window higher than viewport'],
  ],
  [
    'the size of Playwright',
    changed({ window: { ...window, inner: { width: 1_280, height: 720 } } }),
    ['viewport not 800x600, 1280x720'],
  ],
  ['no scrollbar', changed({ window: { ...window, scrollbar: 0 } }), ['scrollbar']],
  ['no mouse', changed({ window: { ...window, finePointer: false } }), ['mouse and hover']],
  ['not focused', changed({ window: { ...window, focused: false } }), ['focused and visible']],
  ['slow frames', changed({ window: { ...window, framePaceMs: 90 } }), ['60 frames a second']],
  [
    'a global of Puppeteer',
    changed({ abilities: { ...abilities, automationNames: ['__puppeteer'] } }),
    ['no names of automation'],
  ],
  [
    'a replaced function',
    changed({ abilities: { ...abilities, tampered: ['Navigator.webdriver: its text'] } }),
    ['native functions'],
  ],
  [
    'an address',
    changed({ abilities: { ...abilities, iceCandidates: ['candidate:1 1 udp 1 192.168.0.7 4 typ host'] } }),
    ['WebRTC shows no private address'],
  ],
  [
    'a worker of another kind',
    changed({ contexts: { ...contexts, worker: { navigator: other } } }),
    ['worker as page'],
  ],
  ['a silent worker', changed({ contexts: { ...contexts, serviceWorker: 'late' } }), ['service worker as page']],
  [
    'a frame of another kind',
    changed({ contexts: { ...contexts, frame: { navigator: other } } }),
    ['frames of the site as page'],
  ],
];
for (const [what, run, expected] of changes) {
  test(`${what}: only the check for it fails`, () => {
    assert.equal(
      failedBy(run).filter((name) => !ofTheMachine.includes(name)),
      expected,
    );
  });
}

test('what depends on the load of the machine is no fault, and neither is what the reference fails', () => {
  assert.equal(faultsOf(found(changed({ window: { ...window, framePaceMs: 90 } })), reference), []);
  const silent = found(changed({ abilities: { ...abilities, hasChrome: false } }));
  assert.equal(faultsOf(silent, reference), ['window.chrome: false']);
  assert.equal(faultsOf(silent, silent), []);
});

test('counts of the probes must equal the reference in each context, times may be 20 times as long', () => {
  assert.is(countsText(quietProbes), '1/3/0/0');
  const listened = changed({ contexts: { ...contexts, crossFrame: { navigator, probes: watchedProbes } } });
  assert.equal(faultsOf(found(listened), reference), ['probes in crossFrame: 2/5/1/2, reference 1/3/0/0']);
  const lasting = (tableMicros: number) => found(changed({ probes: { ...quietProbes, tableMicros } }));
  assert.equal(faultsOf(lasting(200), reference), []);
  assert.equal(faultsOf(lasting(201), reference), ['probes in page: console.table takes 201 µs, limit 200 µs']);
  // With a coarse clock the reference measures zero.
  assert.equal(faultsOf(lasting(99), lasting(0)), []);
  assert.is(faultsOf(lasting(101), lasting(0)).length, 1);
});

test('BotD and the gate are faults; a gate that refuses the reference is none', () => {
  const bot = { bot: true, kind: 'headless_chrome', detectors: ['detectWebDriver'] };
  assert.equal(faultsOf(found(changed({ bot })), reference), ['BotD: headless_chrome by detectWebDriver']);
  const closed = found(untouched, { reasons: ['geometry'], ms: 200 });
  assert.equal(faultsOf(closed, reference), ['the gate: geometry']);
  assert.equal(faultsOf(closed, closed), []);
});

test('the gate lets in what looks untouched, and names each reason to refuse', () => {
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

test('the table marks each door, and only faults of stealth doors that are offered fail the run', () => {
  const door = { title: 'a door', visit: () => Promise.resolve() };
  const bad = found(changed({ navigator: { ...navigator, webdriver: 'true' }, fingerprint: { canvas: '"b"' } }));
  const table = {
    referenceTitle: 'a window',
    reference,
    columns: [
      { door: { ...door, name: 'plain', stealth: false }, examined: { state: 'examined', findings: bad, ms: 2_000 } },
      { door: { ...door, name: 'bad', stealth: true }, examined: { state: 'examined', findings: bad, ms: 2_000 } },
      { door: { ...door, name: 'none', stealth: true }, examined: { state: 'not offered', reason: '404', ms: 1 } },
      { door: { ...door, name: 'lost', stealth: true }, examined: { state: 'failed', reason: 'late', ms: 1 } },
    ],
  } as const;
  assert.equal(stealthFaults(table), ['bad: webdriver is false: "true"', 'lost: failed: late']);
  assert.equal(fingerprintDifferences(bad.judgement, reference.judgement), ['canvas', 'audio']);
  const text = printed(table);
  assert.match(text, /^check +R 1 2 3 4$/m);
  assert.match(text, /^webdriver is false +· x x - -$/m);
  assert.match(text, /^voices +x x x - -$/m);
  assert.match(text, '1 plain: a door: 37 of 43, 2.0 s');
  assert.match(text, '1/3/0/0 everywhere; table 10 µs');
});
