/** Determines why a request would not be served now, for /pressure and /ready. */
import { tooMuchUnread } from '../pipeline/admission.ts';
import type { Services } from '../pipeline/services.ts';

/** Why a request would not be served now. */
export interface Obstacle {
  reason: 'full' | 'slots' | 'cpu' | 'memory' | 'disk' | 'browser' | 'stopping';
  message: string;
}

/** Time in ms after which unchanged slots are considered stuck if requests have no time limit. */
const withoutLimitMs = 60_000;
/** How long a request may take to end after its time limit, in milliseconds. */
const graceMs = 5_000;

/**
 * The most serious reason why the server itself would not serve a request now; undefined if there is none. Does not
 * check browsers and disks. Uses the load of the last sample.
 */
export function obstacle(services: Services): Obstacle | undefined {
  const { config } = services;
  const { limiter, monitor } = services.control;
  const { leaving } = services.signals;
  const { unread } = services.web;
  if (leaving.aborted) return { reason: 'stopping', message: 'The server is shutting down.' };
  if (limiter.full) return { reason: 'full', message: 'Concurrency and queue are full.' };
  const { stalledMs } = limiter;
  if (stalledMs > (config.TIMEOUT || withoutLimitMs) + graceMs) {
    return {
      reason: 'slots',
      message: `All ${limiter.running} slots have been in use for ${Math.round(stalledMs / 1_000)} seconds without one becoming free.`,
    };
  }
  const overloaded = config.HEALTH ? monitor.overloaded : undefined;
  if (overloaded === 'cpu') {
    return { reason: 'cpu', message: `CPU is over the configured maximum of ${config.MAX_CPU_PERCENT} percent.` };
  }
  if (overloaded === 'memory') {
    const message = `Memory is over the configured maximum of ${config.MAX_MEMORY_PERCENT} percent.`;
    return { reason: 'memory', message };
  }
  return unread.tooMuch ? { reason: 'memory', message: tooMuchUnread(services) } : undefined;
}
