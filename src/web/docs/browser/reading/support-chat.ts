/** Shows the support panel to visitors whose cookies from the operator's site name a paid subscription. */
import { make, setting } from '../shell/page-context.ts';

/** Returns a cookie's decoded value; undefined when it is not set. */
function cookie(name: string): string | undefined {
  const found = document.cookie.split('; ').find((each) => each.startsWith(`${name}=`));
  if (found === undefined) return undefined;
  const text = found.slice(name.length + 1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** True for any subscription except `free`; surrounding whitespace and case are ignored. */
function isPaid(subscription: string | undefined): boolean {
  const kind = subscription?.trim().toLowerCase() ?? '';
  return kind !== '' && kind !== 'free';
}

export function startSupportChat(): void {
  const panel = document.querySelector<HTMLElement>('#docs-support');
  if (panel === null || !isPaid(cookie('subscriptionType'))) return;
  const name = cookie('name') ?? '';
  // Anyone can put an id into a URL: forward it, but never trust it.
  const id = new URLSearchParams(location.search).get('userId') ?? cookie('id') ?? '';
  panel.dataset['email'] = cookie('email') ?? '';
  panel.dataset['userId'] = id;
  panel.append(make('p', {}, name === '' ? 'Support' : `Support for ${name}`));
  const address = setting('support');
  if (/^(https?:|mailto:)/.test(address)) {
    panel.append(make('a', { href: address, rel: 'noopener noreferrer' }, 'Contact support'));
  }
  panel.hidden = false;
}
