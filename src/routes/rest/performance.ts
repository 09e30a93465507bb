/** POST /performance: a Lighthouse report of a page. */
import { ServiceError } from '../../errors.ts';
import { audit } from '../../page/audit/audit.ts';
import { performanceBody } from '../../schema/request/performance-fields.ts';
import { browserRoute } from '../pipeline/route.ts';

export const performance = browserRoute({
  name: 'performance',
  summary: 'Lighthouse report of a page',
  description:
    'Runs Lighthouse on the page, in a browser of its own, and answers `{data, type}` with its result object. `config` selects categories, audits, device and throttling. A page that cannot be loaded is a result too: see `data.runtimeError`.',
  body: performanceBody,
  answers: ['application/json'],
  example: { url: 'https://example.com/', config: { settings: { onlyCategories: ['performance'] } } },
  queue: 'audits',
  async handle({ call, body, process, services, log, limitMs }) {
    const url = services.policy.checkUrl(body.url).href;
    if (!/^https?:/.test(url)) {
      const message = '"url" must be an http or https address: Lighthouse audits nothing else';
      throw new ServiceError('invalid-body', message, { issues: [{ path: 'url', message }] });
    }
    if (!process.endpoint) throw new Error('the browser has no port');
    const { config, budgets } = body;
    const settings = budgets === undefined ? config?.settings : { ...config?.settings, budgets };
    const order = {
      url,
      port: process.endpoint.port,
      config: { ...config, ...(settings === undefined ? {} : { settings }) },
      limitMs,
    };
    const report = await audit(order, log, call.signal);
    // The report is JSON text already: wrap it without parsing it.
    return { body: `{"data":${report},"type":"json"}`, contentType: 'application/json; charset=UTF-8' };
  },
});
