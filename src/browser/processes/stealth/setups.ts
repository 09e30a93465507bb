/** Sets up the pages and workers of a stealth browser before their scripts run. */
import { attachToChildren, type ChildSetup } from '../../cdp/auto-attach.ts';
import type { Identity } from './identity.ts';

/** Settings for the targets of a stealth browser that switches cannot express. */
export interface TargetFacts {
  /** For a browser without a window. */
  identity: Identity | undefined;
  /** The language of dates and numbers (Intl), such as `de-DE`; that of the browser when omitted. */
  locale: string | undefined;
}

/** @returns an empty list when the switches are enough */
export function stealthSetups({ identity, locale }: TargetFacts): ChildSetup[] {
  if (!identity && locale === undefined) return [];
  const setup: ChildSetup = ({ session, type }) => [
    ...(identity ? [session.send('Emulation.setUserAgentOverride', identity)] : []),
    ...(locale !== undefined && type !== 'service_worker' && type !== 'shared_worker'
      ? [session.send('Emulation.setLocaleOverride', { locale })]
      : []),
    // Frames from other sites, and workers.
    attachToChildren(session, setup).ready,
  ];
  return [setup];
}
