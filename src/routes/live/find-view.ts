/** Finds the live view that a link names; somebody who tries links that do not exist soon gets no more answers. */
import { ServiceError } from '../../errors.ts';
import { liveViewLimits } from '../../limits.ts';
import type { LiveView } from '../../live/live-view.ts';
import { now } from '../../runtime/machine.ts';
import type { Call } from '../pipeline/call.ts';

const minuteMs = 60_000;
/** Addresses that are remembered: those of the last minute, and not more. */
const mostAddresses = 10_000;

/** When addresses tried links that do not exist, by the clock of `now`. */
const tries = new Map<string, number[]>();

/** What people are told whose link does not work. */
const noSuchLink = 'This link does not work: it has ended, or was never made. Ask for a new one.';

/** @throws ServiceError `session-not-found`, `too-many-viewers` after many of these */
export function findView({ services, address = '' }: Call, id: string): LiveView {
  const found = services.live.find(id);
  if (found) return found;
  const since = now() - minuteMs;
  const recent = (tries.get(address) ?? []).filter((at) => at > since);
  if (recent.length >= liveViewLimits.unknownPerMinute) {
    throw new ServiceError('too-many-viewers', 'Too many links that do not exist were tried. Wait a minute.', {
      retryAfterSeconds: 60,
    });
  }
  if (tries.size >= mostAddresses) {
    for (const [known, times] of tries) if ((times.at(-1) ?? 0) <= since) tries.delete(known);
    if (tries.size >= mostAddresses) tries.clear();
  }
  tries.set(address, [...recent, now()]);
  throw new ServiceError('session-not-found', noSuchLink);
}
