/** Limits attempts to guess links: the ids of live views and shared recordings are keys. */
import { ServiceError } from '../../../../base/errors.ts';
import { liveViewLimits } from '../../../../base/limits.ts';
import { now } from '../../../../base/runtime/machine.ts';

const minuteMs = 60_000;
/** Maximum number of addresses remembered; only those of the last minute count. */
const maxAddresses = 10_000;

/** When each address tried links that do not exist, by the clock of `now`. */
const tries = new Map<string, number[]>();

/**
 * Records an attempt to open a link that does not exist.
 * @param address the client's end of the connection
 * @throws ServiceError `too-many-viewers` after too many such attempts
 */
export function recordUnknownLink(address = ''): void {
  const since = now() - minuteMs;
  const recent = (tries.get(address) ?? []).filter((at) => at > since);
  if (recent.length >= liveViewLimits.unknownPerMinute) {
    throw new ServiceError('too-many-viewers', 'Too many attempts with unknown links. Wait a minute.', {
      retryAfterSeconds: 60,
    });
  }
  if (tries.size >= maxAddresses) {
    for (const [known, times] of tries) if ((times.at(-1) ?? 0) <= since) tries.delete(known);
    if (tries.size >= maxAddresses) tries.clear();
  }
  tries.set(address, [...recent, now()]);
}
