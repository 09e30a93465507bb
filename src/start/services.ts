/** Composition root: builds the services of each layer, bottom up. */
import type { Services } from '../api/routes/pipeline/services.ts';
import type { Config } from '../base/config/config.ts';
import { ServiceError } from '../base/errors.ts';
import { Ids } from '../base/runtime/ids.ts';
import type { Log } from '../base/telemetry/log.ts';
import { Metrics } from '../base/telemetry/metrics.ts';
import type { OpenTelemetry } from '../base/telemetry/otel/otel.ts';
import { noTracing } from '../base/telemetry/tracing.ts';
import { createAlerts } from '../base/telemetry/webhooks.ts';
import { buildBrowsers, networkPolicy, startNetwork } from '../browser/services.ts';
import type { SoftwareKey } from '../control/accounts/software-key/software-key.ts';
import { scrapeState, startControl } from '../control/services.ts';
import { buildSessions } from '../sessions/services.ts';
import { createInnerSite } from '../web/demo-site/inner-site.ts';
import { buildWeb } from '../web/services.ts';

/** The services for the routes, and the controllers that only start.ts and stop.ts use. */
export interface Service {
  services: Services;
  leaving: AbortController;
  draining: AbortController;
  stopping: AbortController;
  /** Sets the base URL that the server listens on. */
  listensAt(base: string): void;
}

/** The inputs that the services are built from. */
export interface ServiceParts {
  readonly config: Config;
  readonly log: Log;
  readonly telemetry: OpenTelemetry | undefined;
  /** Undefined when the server needs no key. */
  readonly softwareKey: SoftwareKey | undefined;
}

export async function buildService({ config, log, telemetry, softwareKey }: ServiceParts): Promise<Service> {
  const [leaving, draining, stopping] = [new AbortController(), new AbortController(), new AbortController()];
  const signals = {
    stopRequested: new AbortController(),
    leaving: leaving.signal,
    draining: draining.signal,
    stopping: stopping.signal,
  };
  const metrics = new Metrics();
  const policy = networkPolicy(config);
  const onAddress = (...address: Parameters<typeof policy.protectServer>) => policy.protectServer(...address);
  const control = await startControl(config, { log, metrics, softwareKey, onAddress });
  const { limiter } = control;
  const ids = new Ids(control.cluster?.node);
  const site = createInnerSite((port) => policy.protectPort(port));
  const network = await startNetwork(config, { policy, metrics, site });
  const freeSlots = () => limiter.options.concurrent - limiter.running;
  const browsers = buildBrowsers(config, { network, ids, log, metrics, freeSlots, stopping: stopping.signal });
  const sessions = buildSessions(config, { network, browsers, ids, log, ...signals });
  let listensAt = '';
  const web = buildWeb(config, { sessions, control, ids, log, listensAt: () => listensAt });
  const tracing = telemetry?.tracing ?? noTracing;
  const alert = createAlerts(config, log);
  const services = {
    config,
    log,
    ids,
    telemetry: { metrics, tracing, alert, openTelemetry: telemetry },
    signals,
    network,
    browsers,
    sessions,
    control,
    web,
  };
  connect(services);
  return { services, leaving, draining, stopping, listensAt: (base) => (listensAt = base) };
}

/** Connects services of different layers. */
function connect({ telemetry: { metrics, openTelemetry }, sessions, control }: Services): void {
  control.accounts.onEnded(({ name }) => {
    const ended = new ServiceError('killed', 'The token of this session has been revoked.');
    for (const { facts, life } of sessions.registry.list()) if (facts.owner === name) life.end(ended);
  });
  openTelemetry?.exportMetrics(() => metrics.readings(scrapeState(control)));
}
