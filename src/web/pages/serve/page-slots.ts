/** Declares the slots in the built pages and fills them with the server's values. */
import { escapeHtml } from '../../../base/assets/escape.ts';

/** Values that almost every page needs. */
export interface CommonSlots {
  /** Path prefix of the public URL, such as `/browser`; may be empty. */
  base: string;
  /** `light` or `dark`; empty for the viewer's system setting. */
  theme: '' | 'light' | 'dark';
}

/** Values that each page needs. */
export interface PageSlots {
  live: CommonSlots & {
    /** Path of the socket without the base. Uploads and downloads are under it. */
    socket: string;
  };
  dashboard: CommonSlots & {
    /** `open` on a server without tokens, where nobody signs in. */
    account: 'token' | 'open';
    /** Who may read the documentation (setting DOCS). */
    docs: 'open' | 'token' | 'off';
  };
  /** The page that asks for the token; its only script is that of the color switch. */
  'sign-in': CommonSlots & {
    /** What the person signs in to, such as `the dashboard`. */
    name: string;
    /** Path to which the form is posted, without the base. */
    action: string;
    /** Path of the page that the person requested, without the base. */
    next: string;
    /** Error of the previous attempt; empty on the first one. */
    problem: string;
  };
  /** A page without scripts that explains why the requested page is not shown. */
  notice: CommonSlots & {
    title: string;
    text: string;
    /** URL of the same page if it is worth retrying, otherwise empty. */
    again: string;
  };
  player: CommonSlots & {
    /** Path of the recording that is played, without the base. */
    data: string;
  };
  /** The frame in which the player rebuilds a page. */
  replay: {
    base: string;
  };
}

type SlotOf<Name extends keyof PageSlots> = keyof PageSlots[Name] & string;

/** Returns the placeholder of a slot in a built page; in attributes, it must be in quotation marks. */
export const slot = <Name extends keyof PageSlots>(_page: Name, name: SlotOf<Name>): string => `{{${name}}}`;

/** @throws Error for a slot that has no value */
export function fillSlots(html: string, values: Readonly<Record<string, string>>): string {
  return html.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The page slot ${name} has no value`);
    return escapeHtml(value);
  });
}
