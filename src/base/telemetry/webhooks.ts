/**
 * Calls the operator's alert URLs with a GET without a body; no request waits for the response
 * (compatibility.mdx#webhooks).
 */
import type { Log } from './log.ts';

export interface AlertUrls {
  FAILED_HEALTH_URL: string | undefined;
  QUEUE_ALERT_URL: string | undefined;
  REJECT_ALERT_URL: string | undefined;
  TIMEOUT_ALERT_URL: string | undefined;
  ERROR_ALERT_URL: string | undefined;
}

/** Time in milliseconds after which an alert that has not been accepted is abandoned. */
const alertLimitMs = 10_000;

/** Calls an alert URL; failures are only logged. */
export type Alert = (name: keyof AlertUrls, error?: string) => void;

export function createAlerts(urls: AlertUrls, log: Log): Alert {
  return (name, error) => {
    const configured = urls[name];
    if (configured === undefined) return;
    const url = new URL(configured);
    if (error !== undefined) url.searchParams.set('error', error);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), alertLimitMs);
    fetch(url, { signal: controller.signal })
      .then((response) => response.body?.cancel())
      .catch((cause: unknown) => log.warn('alert.failed', { alert: name, cause }))
      .finally(() => clearTimeout(timer));
  };
}
