/** Declares the services that routes use: one value, built once in src/start/services.ts and passed down. */
import type { Config } from '../../../base/config/config.ts';
import type { Ids } from '../../../base/runtime/ids.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import type { Metrics } from '../../../base/telemetry/metrics.ts';
import type { OpenTelemetry } from '../../../base/telemetry/otel/otel.ts';
import type { Tracing } from '../../../base/telemetry/tracing.ts';
import type { Alert } from '../../../base/telemetry/webhooks.ts';
import type { BrowserServices, NetworkServices } from '../../../browser/services.ts';
import type { ControlServices } from '../../../control/services.ts';
import type { SessionServices } from '../../../sessions/services.ts';
import type { WebServices } from '../../../web/services.ts';

/** The services of each layer, and those shared by all layers. */
export interface Services {
  config: Config;
  log: Log;
  /** Generates the ids of browsers, sessions, and live views. */
  ids: Ids;
  telemetry: Telemetry;
  /** Stages of the server's shutdown. */
  signals: Signals;
  network: NetworkServices;
  browsers: BrowserServices;
  sessions: SessionServices;
  control: ControlServices;
  web: WebServices;
}

interface Telemetry {
  metrics: Metrics;
  tracing: Tracing;
  alert: Alert;
  /** Undefined if nothing is exported to an OpenTelemetry receiver. */
  openTelemetry: OpenTelemetry | undefined;
}

interface Signals {
  /** Aborted by a request to stop the server as SIGTERM does. */
  stopRequested: AbortController;
  /** Aborted once the server is about to stop: load balancers should send requests elsewhere. */
  leaving: AbortSignal;
  /** Aborted once the server no longer accepts requests. */
  draining: AbortSignal;
  /** Aborted when running requests must end. */
  stopping: AbortSignal;
}
