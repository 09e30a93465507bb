/**
 * Calls the operator's alert URLs with a GET without a body; no request waits for the response
 * (compatibility.mdx#webhooks).
 */
import type { Config } from '../config/config.ts';
import type { SettingName } from '../config/table.ts';
import type { Log } from './log.ts';

type AlertUrls = Pick<Config, Extract<SettingName, `${string}_ALERT_URL`> | 'FAILED_HEALTH_URL'>;

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
