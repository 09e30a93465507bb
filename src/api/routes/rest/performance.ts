/** POST /performance: returns a Lighthouse report of a page. */
import { ServiceError } from '../../../base/errors.ts';
import { orReleased, startDeadline } from '../../../base/runtime/deadline.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { performanceResponse } from '../../../base/schema/response/rest.ts';
import { performanceBody } from '../../../base/schema/request/performance-fields.ts';
import { browserRoute } from '../pipeline/route.ts';

/** Lighthouse navigates from the audited page to this one and back, to see whether the browser kept the page. */
const pageBetween = 'chrome://terms';

export const performance = browserRoute('rest', 'performance', {
  callKind: 'audit',
  summary: 'Lighthouse report of a page',
  description:
    'Runs Lighthouse on the page, in a separate browser, and returns `{data, type}` with its result object. `config` selects categories, audits, device, and throttling; `budgets` adds the audits `performance-budget` and `timing-budget`. If the page cannot be loaded, `data.runtimeError` says why.',
  body: performanceBody,
  answers: [json(performanceResponse)],
  example: { url: 'https://example.com/', config: { settings: { onlyCategories: ['performance'] } } },
  queue: 'audits',
  async handle({ call, body, process, services, log, limitMs }) {
    const url = services.network.policy.checkUrl(body.url).href;
    if (!/^https?:/.test(url)) {
      const message = '"url" must be an http or https URL: Lighthouse cannot audit anything else';
      throw new ServiceError('invalid-body', message, { issues: [{ path: 'url', message }] });
    }
    const [{ CdpGate }, { audit }, { shortUrl }] = await Promise.all([
      import('../../../sessions/cdp/gate.ts'),
      import('../../../browser/page/audit/audit.ts'),
      import('../../../browser/page/load/navigate.ts'),
    ]);
    const { config } = body;
    const order = { url, config, budgets: body.budgets ?? config?.settings?.budgets, limitMs };
    let deliver: (parts: readonly Uint8Array[]) => void = () => {};
    const opening = CdpGate.open({
      connection: process.connection,
      targetId: undefined,
      rules: {
        scope: 'browser',
        full: process.mode !== 'shell',
        allowsUrl: (text) => URL.canParse(text) && services.network.policy.allowsScheme(new URL(text)),
        files: undefined,
        openProxy: () => Promise.reject(new ServiceError('bad-request', 'An audit uses the proxy of its request.')),
        allowedMethods: new Set(),
      },
      // Only Lighthouse drives this browser.
      targets: { mayDrive: () => true, mayDriveAddress: () => true },
      deliver: (parts) => deliver(parts),
      end: (code, reason) => log.warn('audit.disconnected', { code, reason }),
      answer: ({ method, params }) =>
        method === 'Page.navigate' && params['url'] === pageBetween ? { pass: params } : undefined,
      refused: (method, why) => log.warn('audit.command-refused', { method, why }),
    });
    using gate = await orReleased(opening, call.signal, (late) => late[Symbol.dispose]());
    const connect = (send: typeof deliver) => {
      deliver = send;
      return (text: string) => void gate.receive(text);
    };
    using life = startDeadline(0, () => undefined, [call.signal, process.gone]);
    const auditing = audit(order, { connect, log, signal: life.signal });
    const report = await call.waiting.for(`Lighthouse to audit ${shortUrl(url)}`, auditing);
    // The report is already JSON text: wrap it without parsing it.
    return { body: `{"data":${report},"type":"json"}`, contentType: 'application/json; charset=UTF-8' };
  },
});
