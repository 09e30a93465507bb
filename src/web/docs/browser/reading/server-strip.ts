/** Fills the status strip of the home page with this server's status. */
import type { ServerStatus } from '../../site/model.ts';
import { all, base } from '../shell/page-context.ts';
import { currentToken } from '../run/token.ts';

export async function fillServerStrip(within: ParentNode = document): Promise<void> {
  const places = all('[data-strip]', within);
  if (places.length === 0) return;
  const response = await fetch(`${base}/status`, { headers: { Accept: 'application/json' } }).catch(() => undefined);
  if (response?.ok !== true) return;
  const status: ServerStatus = await response.json();
  const values: Readonly<Record<string, string>> = {
    health: status.available ? 'Healthy' : status.message,
    version: status.version,
    browsers: status.browsers.map(({ name, version }) => `${name} ${version.split('.')[0]}`).join(', ') || 'none',
    load: `${status.running} of ${status.concurrent}, ${status.waiting} waiting`,
    token: tokenLabel(status.tokenNeeded),
  };
  for (const place of places) {
    place.textContent = values[place.dataset['strip'] ?? ''] ?? place.textContent;
    if (place.dataset['strip'] === 'health') place.className = status.available ? 'status-word' : 'status-word bad';
  }
}

function tokenLabel(needed: boolean): string {
  if (!needed) return 'Not required';
  return currentToken() === '' ? 'Required' : 'Saved in this browser';
}
