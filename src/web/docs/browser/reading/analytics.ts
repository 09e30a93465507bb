/** Sends page views to the operator's DOCS_ANALYTICS_URL; does nothing while that is not set. */
import { setting } from '../shell/page-context.ts';

export function startAnalytics(): void {
  const address = setting('analytics');
  if (address === '') return;
  document.addEventListener('docs:page-view', (event) => {
    if (!(event instanceof CustomEvent)) return;
    navigator.sendBeacon(address, JSON.stringify(event.detail));
  });
}
