/** Names the places of the built pages that the server fills, and fills them. */
import { escapeHtml } from '../../../base/assets/escape.ts';

/** What each page needs to know. */
export interface PageSlots {
  live: {
    /** Path of the public URL in front of all addresses: `/browser`, or empty. */
    base: string;
    /** `light` or `dark`; empty for what the viewer's system has. */
    theme: '' | 'light' | 'dark';
    /** Path of the socket without the base. Uploads and downloads are below it. */
    socket: string;
  };
  dashboard: {
    base: string;
    theme: '' | 'light' | 'dark';
    /** `open` on a server without tokens, where nobody signs in. */
    account: 'token' | 'open';
    /** Who may read the documentation; see DOCS. */
    docs: 'open' | 'token' | 'off';
  };
  /** The page that asks for the token; it has no script. */
  'sign-in': {
    base: string;
    theme: '' | 'light' | 'dark';
    /** What the person signs in to: `the dashboard`. */
    name: string;
    /** Path that the form goes to, without the base. */
    action: string;
    /** Path of the page that the person wanted, without the base. */
    next: string;
    /** What was wrong with the last try; empty for the first. */
    problem: string;
  };
  /** A page that says why there is nothing else, without any script. */
  notice: {
    base: string;
    theme: '' | 'light' | 'dark';
    title: string;
    text: string;
    /** Address of the same page, when it is worth another try; empty when it is not. */
    again: string;
  };
  player: {
    base: string;
    theme: '' | 'light' | 'dark';
    /** Path of what is played, without the base. */
    data: string;
  };
  /** The frame in which the player builds a page anew. */
  replay: {
    base: string;
  };
}

type SlotOf<Name extends keyof PageSlots> = keyof PageSlots[Name] & string;

/** The mark of a slot in a built page; in attributes it stands between quotation marks. */
export const slot = <Name extends keyof PageSlots>(_page: Name, name: SlotOf<Name>): string => `{{${name}}}`;

/** @throws Error for a slot that has no value */
export function fillSlots(html: string, values: Readonly<Record<string, string>>): string {
  return html.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The page has a slot ${name}, which nothing fills`);
    return escapeHtml(value);
  });
}
