/** Builds the server status page: availability, browsers, queue. It reveals no secrets. */
import { escapeHtml } from '../../../base/assets/escape.ts';
import { namedType } from '../../../base/runtime/http/accept.ts';
import { now } from '../../../base/runtime/machine.ts';
import type { ServerStatus } from '../site/model.ts';
import { resultsSlot } from './manifest.ts';

/** Returns a function that keeps the status for a short time, because reading it may open a page. */
export function keepStatus(read: () => Promise<ServerStatus>, keptMs: number): () => Promise<ServerStatus> {
  let last: { at: number; status: Promise<ServerStatus> } | undefined;
  return () => {
    if (last === undefined || now() - last.at >= keptMs) {
      const next = { at: now(), status: read() };
      last = next;
      next.status.catch(() => {
        if (last === next) last = undefined;
      });
    }
    return last.status;
  };
}

/** Whether the client is a program that accepts JSON. */
export const asksForJson = (request: Request): boolean =>
  namedType(request.headers.get('accept'), ['application/json']) !== undefined;

const row = (name: string, value: string): string =>
  `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`;

const table = (rows: readonly string[]): string =>
  `<div class="table"><table><tbody>${rows.join('')}</tbody></table></div>`;

/** Inserts the status into its built page. */
export function fillStatus(html: string, status: ServerStatus): string {
  const word = status.available ? 'Healthy' : 'Unavailable';
  const load = [
    row('Running', `${status.running} of ${status.concurrent} calls`),
    row('Waiting', `${status.waiting} of ${status.queued} places in the queue`),
    row('Token', status.tokenNeeded ? 'Required' : 'Not required'),
    row('Version', status.version),
  ];
  const browsers = status.browsers.map(({ name, version }) => row(name, version));
  const text =
    `<p class="status-word${status.available ? '' : ' bad'}"><strong>${word}.</strong></p>` +
    `<p>${escapeHtml(status.message)}</p>${table(load)}<h2>Browsers</h2>` +
    (browsers.length === 0 ? '<p>No browser is installed.</p>' : table(browsers));
  return html.replace(resultsSlot, () => text);
}
