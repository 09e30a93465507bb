// Defines a door: one method of opening a page through the service, or without it for the reference.
import type { Reply } from '../../support/clients/http.ts';
import type { Service } from '../../support/service.ts';

export interface Visit {
  /** URL of a lab page. */
  url: string;
  /**
   * Selector of an element that appears when the page has reported everything; the door keeps the page open until then.
   */
  selector: string;
  /** Aborts at the door's time limit. */
  signal: AbortSignal;
  /** If set, the door must press the button #go and type this into #in, then wait for the element #sent. */
  type?: string;
}

export interface Door {
  /** The door's name in --doors and in the table. */
  name: string;
  title: string;
  /** Whether the door's browser must look like the reference. */
  stealth: boolean;
  /** Whether the door can press and type. */
  types?: true;
  /** Time limit of one visit in milliseconds. Default 60000. */
  limitMs?: number;
  /**
   * Opens the page and returns when the element is there. @throws NotOffered when the service does not have this door
   */
  visit(service: Service, visit: Visit): Promise<void>;
}

/** The service does not have this door: it responded 400 or 404. */
export class NotOffered extends Error {
  override name = 'NotOffered';
}

/** The message of a value that a client threw; Puppeteer throws its socket's event, which is not an Error. */
export function messageOf(error: unknown): string {
  const isTold = typeof error === 'object' && error !== null && 'message' in error;
  return isTold ? String(error.message) : String(error);
}

/** The error for a failed handshake: NotOffered when the service responded 400 or 404. */
export function handshakeError(error: unknown): Error {
  const text = messageOf(error);
  return /(?:^|\s)(?:400|404)\b/.test(text)
    ? new NotOffered(text, { cause: error })
    : new Error(text, { cause: error });
}

/** Throws if the response is not a success. */
export function requireSuccess({ status, text }: Pick<Reply, 'status' | 'text'>): void {
  if (status === 400 || status === 404) throw new NotOffered(`${status} ${text.slice(0, 300)}`);
  if (status >= 400) throw new Error(`answered ${status}: ${text.slice(0, 300)}`);
}
