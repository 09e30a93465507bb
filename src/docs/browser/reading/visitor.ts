/** Support for paying visitors, page views for an operator who wants them: both off until they are configured. */
import { all, base, lazy } from '../shell/page-context.ts';

/** Values from the operator's settings, in the document's head. */
function setting(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="docs-${name}"]`)?.content ?? '';
}

/** A cookie's decoded value; undefined when it is not set. */
export function cookie(name: string): string | undefined {
  const found = document.cookie.split('; ').find((each) => each.startsWith(`${name}=`));
  if (found === undefined) return undefined;
  const text = found.slice(name.length + 1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Set and, without blanks and in any case, not `free` (specification section 4). */
export function isPaid(subscription: string | undefined): boolean {
  const kind = subscription?.trim().toLowerCase() ?? '';
  return kind !== '' && kind !== 'free';
}

function startSupport(): void {
  const panel = document.querySelector<HTMLElement>('#docs-support');
  if (panel === null || !isPaid(cookie('subscriptionType'))) return;
  const name = cookie('name') ?? '';
  // The id in an address is a claim without proof; it is only handed on.
  const id = new URLSearchParams(location.search).get('userId') ?? cookie('id') ?? '';
  const line = document.createElement('p');
  line.textContent = name === '' ? 'Support' : `Support for ${name}`;
  panel.dataset['email'] = cookie('email') ?? '';
  panel.dataset['userId'] = id;
  panel.append(line);
  const address = setting('support');
  if (/^(https?:|mailto:)/.test(address)) {
    const link = document.createElement('a');
    link.href = address;
    link.rel = 'noopener noreferrer';
    link.textContent = 'Contact support';
    panel.append(link);
  }
  panel.hidden = false;
}

function startAnalytics(): void {
  const address = setting('analytics');
  if (address === '') return;
  document.addEventListener('docs:page-view', (event) => {
    if (!(event instanceof CustomEvent)) return;
    navigator.sendBeacon(address, JSON.stringify(event.detail));
  });
}

function startAsk(): void {
  for (const button of all<HTMLButtonElement>('[data-ask]')) {
    button.addEventListener('click', () => {
      lazy('ask-dialog').then(
        ({ openAsk }: typeof import('../search/ask-dialog.tsx')) => openAsk(button),
        () => location.assign(`${base}/search`),
      );
    });
  }
}

export function startVisitor(): void {
  startSupport();
  startAnalytics();
  startAsk();
}
