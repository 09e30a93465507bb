// /performance with budgets, through a real audit (compatibility.mdx#performance-audits).
// @tier ci
import * as assert from 'uvu/assert';
import { namesField, refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('budgets of /performance', { env: { TIMEOUT: '180000', SPARES: '0' } });
// On a loaded machine an audit takes a minute.
const anAudit = { timeoutMs: 200_000 };

interface Row {
  resourceType?: string;
  metric?: string;
  label: string;
  requestCount: number;
  transferSize: number;
  countOverBudget?: string;
  sizeOverBudget?: number;
  measurement?: unknown;
  overBudget?: unknown;
}

interface AuditResult {
  id: string;
  title: string;
  score: number | null;
  scoreDisplayMode: string;
  errorMessage?: string;
  details: { type: string; headings: { key: string; label: string }[]; items: Row[] };
}

interface Report {
  data: {
    audits: Record<string, AuditResult>;
    categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number; group?: string }[] }>;
    categoryGroups: Record<string, { title: string }>;
  };
}

async function report(body: Record<string, unknown>): Promise<Report['data']> {
  const url = `${fixture.site.url}/budgeted`;
  return succeeded(await fixture.service.post('/performance', { url, ...body })).json<Report>().data;
}

const rowOf = (audit: AuditResult | undefined, name: string): Row | undefined =>
  audit?.details.items.find(({ resourceType, metric }) => (resourceType ?? metric) === name);

const budgetFields =
  '{path,resourceSizes[].resourceType,resourceSizes[].budget,resourceCounts[].resourceType,resourceCounts[].budget,timings[].metric,timings[].budget,timings[].tolerance}';

test.proves(`performance:config.settings.budgets[].${budgetFields}`);
test(
  'reports pages over and within each kind of budget in Lighthouse tables',
  async () => {
    const budgets = [
      {
        path: '/budgeted$',
        resourceSizes: [
          { resourceType: 'script', budget: 1 },
          { resourceType: 'stylesheet', budget: 100 },
        ],
        resourceCounts: [
          { resourceType: 'image', budget: 1 },
          { resourceType: 'third-party', budget: 0 },
          { resourceType: 'total', budget: 100 },
        ],
        timings: [
          { metric: 'first-contentful-paint', budget: 0 },
          { metric: 'interactive', budget: 600_000 },
          { metric: 'cumulative-layout-shift', budget: 1 },
          { metric: 'speed-index', budget: 0, tolerance: 600_000 },
        ],
      },
    ];
    const { audits } = await report({ config: { settings: { onlyAudits: ['document-title'], budgets } } });
    assert.equal(Object.keys(audits).toSorted(), ['document-title', 'performance-budget', 'timing-budget']);
    const sizes = audits['performance-budget'];
    assert.is(sizes?.errorMessage, undefined);
    assert.equal([sizes?.title, sizes?.scoreDisplayMode], ['Performance budget', 'informative']);
    assert.is(sizes?.details.type, 'table');
    assert.equal(
      sizes?.details.headings.map(({ key }) => key),
      ['label', 'requestCount', 'transferSize', 'countOverBudget', 'sizeOverBudget'],
    );
    assert.is(sizes?.details.items.length, 5);
    const script = rowOf(sizes, 'script');
    assert.equal([script?.label, script?.requestCount], ['Script', 1]);
    assert.ok((script?.transferSize ?? 0) > 4_000, String(script?.transferSize));
    assert.is(script?.sizeOverBudget, (script?.transferSize ?? 0) - 1_024);
    assert.is(sizes?.details.items[0]?.resourceType, 'script', 'the item furthest over its budget comes first');
    assert.is(rowOf(sizes, 'stylesheet')?.sizeOverBudget, undefined);
    assert.equal([rowOf(sizes, 'image')?.requestCount, rowOf(sizes, 'image')?.countOverBudget], [2, '1 request']);
    assert.is(rowOf(sizes, 'third-party')?.countOverBudget, '1 request');
    assert.is(rowOf(sizes, 'total')?.countOverBudget, undefined);
    assert.ok((rowOf(sizes, 'total')?.requestCount ?? 0) >= 5);

    const timings = audits['timing-budget'];
    assert.is(timings?.errorMessage, undefined);
    assert.equal(
      timings?.details.headings.map(({ key }) => key),
      ['label', 'measurement', 'overBudget'],
    );
    const paint = rowOf(timings, 'first-contentful-paint');
    assert.ok(Number(paint?.measurement) > 0, String(paint?.measurement));
    assert.is(paint?.overBudget, paint?.measurement);
    assert.is(timings?.details.items[0]?.metric, 'first-contentful-paint');
    assert.ok(Number(rowOf(timings, 'interactive')?.measurement) > 0);
    for (const metric of ['interactive', 'cumulative-layout-shift', 'speed-index']) {
      assert.is(rowOf(timings, metric)?.overBudget, undefined, metric);
    }
    assert.is(Object(rowOf(timings, 'cumulative-layout-shift')?.measurement).type, 'numeric');
  },
  anAudit,
);

test.proves(`performance:budgets[].${budgetFields} performance:budgets[].options.firstPartyHostnames[]`);
test.peer('REST routes', 'returns a full report on a server without a token, and a 408 for a tiny limit');
test(
  'a full report: both belong to the performance category, and hosts can be first parties',
  async () => {
    const budgets = [
      {
        path: '/budgeted',
        options: { firstPartyHostnames: ['127.0.0.1', '*.localhost'] },
        resourceCounts: [{ resourceType: 'third-party', budget: 0 }],
        resourceSizes: [{ resourceType: 'script', budget: 1 }],
        timings: [
          { metric: 'first-contentful-paint', budget: 0 },
          { metric: 'speed-index', budget: 0, tolerance: 600_000 },
        ],
      },
      { path: '/other', resourceCounts: [{ resourceType: 'third-party', budget: 9 }] },
    ];
    const { audits, categories, categoryGroups } = await report({ budgets });
    for (const name of ['performance', 'accessibility', 'seo']) assert.ok(name in categories, name);
    assert.ok(Object.keys(audits).length > 50);
    const third = rowOf(audits['performance-budget'], 'third-party');
    assert.equal([third?.requestCount, third?.countOverBudget], [0, undefined]);
    assert.ok(rowOf(audits['performance-budget'], 'script')?.sizeOverBudget);
    const overTime = audits['timing-budget']?.details.items.map(({ metric, overBudget }) => [
      metric,
      Boolean(overBudget),
    ]);
    assert.equal(overTime, [
      ['first-contentful-paint', true],
      ['speed-index', false],
    ]);
    const refs = categories['performance']?.auditRefs.filter(({ group }) => group === 'budgets');
    assert.equal(
      refs?.map(({ id, weight }) => [id, weight]),
      [
        ['performance-budget', 0],
        ['timing-budget', 0],
      ],
    );
    assert.ok(categories['performance']?.score, 'the category has a score');
    assert.is(categoryGroups['budgets']?.title, 'Budgets');
    assert.ok(audits['largest-contentful-paint']);
    const tiny = await fixture.service.post(
      '/performance',
      { url: `${fixture.site.url}/small` },
      { query: { timeout: 10 } },
    );
    refused(tiny, 408, 'Request has timed out');
  },
  anAudit,
);

test.proves('performance:config.settings.budgets[].options.firstPartyHostnames[]');
test(
  'works with categories, and a budget audit can be skipped',
  async () => {
    const resourceCounts = [
      { resourceType: 'script', budget: 0 },
      { resourceType: 'third-party', budget: 0 },
    ];
    const budgets = [{ options: { firstPartyHostnames: ['127.0.0.1', 'localhost'] }, resourceCounts }];
    const { audits } = await report({
      config: { settings: { onlyCategories: ['seo'], skipAudits: ['timing-budget'], budgets } },
    });
    assert.is(rowOf(audits['performance-budget'], 'third-party')?.countOverBudget, undefined);
    assert.is(rowOf(audits['performance-budget'], 'script')?.countOverBudget, '1 request');
    assert.is(audits['timing-budget'], undefined);
    assert.ok(audits['document-title']);
  },
  anAudit,
);

test('invalid budgets are rejected before an audit starts', async () => {
  const post = (budgets: unknown, config?: unknown) =>
    fixture.service.post('/performance', { url: `${fixture.site.url}/budgeted`, budgets, config });
  namesField(
    await post([{ resourceSizes: [{ resourceType: 'js', budget: 1 }] }]),
    'budgets.0.resourceSizes.0.resourceType',
  );
  namesField(await post([{ timings: [{ metric: 'interactive', budget: 'x' }] }]), 'budgets.0.timings.0.budget');
  namesField(await post([{ size: 7 }]), 'budgets.0.size');
  namesField(await post(undefined, { settings: { budgets: [{ path: 'x' }] } }), 'config.settings.budgets.0.path');
  assert.equal(fixture.site.requests, []);
});
