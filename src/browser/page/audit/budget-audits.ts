/**
 * Provides the audits `performance-budget` and `timing-budget`, which Lighthouse had up to version 11: their names,
 * text and tables are Lighthouse's. Only the audit process loads this file.
 */
import { importPackage } from '../../../base/program/assets.ts';
import type { Artifacts, Audit as AuditTypes, Config } from 'lighthouse/types/lh.js';
import type { Budget } from '../../../base/schema/request/performance-fields.ts';
import { budgetFor, isFirstParty, resourceRows, type ResourceSummary as Summary, timingRows } from './budgets.ts';

type Context = AuditTypes.Context;
type Product = AuditTypes.Product;

const documentation =
  '[Learn more about performance budgets](https://web.dev/articles/use-lighthouse-for-performance-budgets).';
const notApplicable: Product = { score: null, notApplicable: true };

/** Returns both audits; their classes extend one of Lighthouse's, which is loaded at run time. */
async function budgetAudits() {
  const [
    { Audit },
    { MainResource },
    { TimingSummary },
    { NetworkRecords },
    { EntityClassification },
    { ResourceSummary },
  ] = await Promise.all([
    importPackage<typeof import('lighthouse')>('lighthouse'),
    importPackage<typeof import('lighthouse/core/computed/main-resource.js')>(
      'lighthouse/core/computed/main-resource.js',
    ),
    importPackage<typeof import('lighthouse/core/computed/metrics/timing-summary.js')>(
      'lighthouse/core/computed/metrics/timing-summary.js',
    ),
    importPackage<typeof import('lighthouse/core/computed/network-records.js')>(
      'lighthouse/core/computed/network-records.js',
    ),
    importPackage<typeof import('lighthouse/core/computed/entity-classification.js')>(
      'lighthouse/core/computed/entity-classification.js',
    ),
    importPackage<typeof import('lighthouse/core/computed/resource-summary.js')>(
      'lighthouse/core/computed/resource-summary.js',
    ),
  ]);

  /** The budget for the page that was audited, after redirects. */
  async function budgetOf({ DevtoolsLog, URL }: Artifacts, context: Context): Promise<Budget | undefined> {
    const { url } = await MainResource.request({ devtoolsLog: DevtoolsLog, URL }, context);
    // Lighthouse keeps settings that it does not know; the server has checked this one.
    return budgetFor(url, (context.settings as { budgets?: readonly Budget[] }).budgets ?? []);
  }

  /** Lighthouse's own summary, with third parties as the budget defines them. */
  async function summaryOf({ DevtoolsLog, URL }: Artifacts, context: Context, budget: Budget): Promise<Summary> {
    const data = { devtoolsLog: DevtoolsLog, URL };
    const summary = await ResourceSummary.request(data, context);
    const firstParty = budget.options?.firstPartyHostnames;
    if (firstParty === undefined) return summary;
    const records = await NetworkRecords.request(DevtoolsLog, context);
    const entities = await EntityClassification.request(data, context);
    const foreign = records.filter(({ parsedURL }) => !isFirstParty(parsedURL.host, firstParty));
    return { ...summary, 'third-party': ResourceSummary.summarize(foreign, URL, entities).total };
  }

  class PerformanceBudget extends Audit {
    static override get meta(): AuditTypes.Meta {
      return {
        id: 'performance-budget',
        title: 'Performance budget',
        description: `Keep the quantity and size of network requests under the targets set by the provided performance budget. ${documentation}`,
        scoreDisplayMode: Audit.SCORING_MODES.INFORMATIVE,
        supportedModes: ['navigation'],
        requiredArtifacts: ['DevtoolsLog', 'URL'],
      };
    }

    static override async audit(artifacts: Artifacts, context: Context): Promise<Product> {
      const budget = await budgetOf(artifacts, context);
      if (!budget) return notApplicable;
      const rows = resourceRows(budget, await summaryOf(artifacts, context, budget));
      const details = Audit.makeTableDetails(
        [
          { key: 'label', valueType: 'text', label: 'Resource Type' },
          { key: 'requestCount', valueType: 'numeric', label: 'Requests' },
          { key: 'transferSize', valueType: 'bytes', label: 'Transfer Size' },
          { key: 'countOverBudget', valueType: 'text', label: '' },
          { key: 'sizeOverBudget', valueType: 'bytes', label: 'Over Budget' },
        ],
        rows.map((row) => ({ ...row })),
        { sortedBy: ['sizeOverBudget'] },
      );
      return { details, score: 1 };
    }
  }

  class TimingBudget extends Audit {
    static override get meta(): AuditTypes.Meta {
      return {
        id: 'timing-budget',
        title: 'Timing budget',
        description: `Set a timing budget to help you keep an eye on the performance of your site. Performant sites load fast and respond to user input events quickly. ${documentation}`,
        scoreDisplayMode: Audit.SCORING_MODES.INFORMATIVE,
        supportedModes: ['navigation'],
        requiredArtifacts: ['Trace', 'DevtoolsLog', 'GatherContext', 'URL', 'SourceMaps', 'HostDPR'],
      };
    }

    static override async audit(artifacts: Artifacts, context: Context): Promise<Product> {
      const budget = await budgetOf(artifacts, context);
      if (!budget) return notApplicable;
      const { Trace, DevtoolsLog, GatherContext, URL, SourceMaps, HostDPR } = artifacts;
      const { metrics } = await TimingSummary.request(
        {
          trace: Trace,
          devtoolsLog: DevtoolsLog,
          gatherContext: GatherContext,
          settings: context.settings,
          URL,
          SourceMaps,
          HostDPR,
        },
        context,
      );
      const rows = timingRows(budget, {
        'first-contentful-paint': metrics.firstContentfulPaint,
        interactive: metrics.interactive,
        'max-potential-fid': metrics.maxPotentialFID,
        'total-blocking-time': metrics.totalBlockingTime,
        'speed-index': metrics.speedIndex,
        'largest-contentful-paint': metrics.largestContentfulPaint,
        'cumulative-layout-shift': metrics.cumulativeLayoutShift,
      });
      const details = Audit.makeTableDetails(
        [
          { key: 'label', valueType: 'text', label: 'Metric' },
          { key: 'measurement', valueType: 'ms', label: 'Measurement' },
          { key: 'overBudget', valueType: 'ms', label: 'Over Budget' },
        ],
        rows.map((row) => ({ ...row })),
        { sortedBy: ['overBudget'] },
      );
      return { details, score: 1 };
    }
  }

  return [PerformanceBudget, TimingBudget];
}

/**
 * Adds both audits to a configuration: to the category `performance`, or to the audits that the configuration selects.
 * Audits that the configuration skips stay left out.
 */
export async function withBudgetAudits(config: Config): Promise<Config> {
  const audits = await budgetAudits();
  const { settings = {}, categories = {} } = config;
  const { onlyAudits, onlyCategories, skipAudits } = settings;
  const ids = audits.map(({ meta }) => meta.id).filter((id) => skipAudits?.includes(id) !== true);
  const added = {
    ...config,
    audits: [...(config.audits ?? []), ...audits.map((implementation) => ({ implementation }))],
  };
  if (onlyAudits || onlyCategories) {
    return { ...added, settings: { ...settings, onlyAudits: [...new Set([...(onlyAudits ?? []), ...ids])] } };
  }
  const performance = categories?.['performance'];
  const auditRefs = [...(performance?.auditRefs ?? []), ...ids.map((id) => ({ id, weight: 0, group: 'budgets' }))];
  return {
    ...added,
    groups: { ...config.groups, budgets: { title: 'Budgets' } },
    categories: { ...categories, performance: { ...performance, auditRefs } },
  } as Config; // A fragment: Lighthouse merges it into the default configuration, which has the title.
}
