// What a door is: one way to open a page through the service, or without it for the reference.
import type { Reply } from '../../support/clients/http.ts';
import type { Service } from '../../support/service.ts';

export interface Visit {
  /** Address of a page of the lab. */
  url: string;
  /** An element that the page gets when it has told all; the door keeps the page open until then. */
  selector: string;
  /** Aborts at the door's time limit. */
  signal: AbortSignal;
  /** Set when the door shall press the button #go and type this into #in, then wait for the element #sent. */
  type?: string;
}

export interface Door {
  /** Names the door in --doors and in the table. */
  name: string;
  title: string;
  /** Whether its browser must look like the reference. */
  stealth: boolean;
  /** Whether it can press and type. */
  types?: true;
  /** Limit of one visit in milliseconds. Default 60000. */
  limitMs?: number;
  /** Opens the page and returns when the element is there. @throws NotOffered when the service has no such door */
  visit(service: Service, visit: Visit): Promise<void>;
}

/** The service has no such door: it answered 400 or 404. */
export class NotOffered extends Error {
  override name = 'NotOffered';
}

/** The text of what a client threw; Puppeteer throws the event of its socket, which is no Error. */
export function messageOf(error: unknown): string {
  const isTold = typeof error === 'object' && error !== null && 'message' in error;
  return isTold ? String(error.message) : String(error);
}

/** What a failed handshake throws: NotOffered when the service answered 400 or 404. */
export function handshakeError(error: unknown): Error {
  const text = messageOf(error);
  return /(?:^|\s)(?:400|404)\b/.test(text)
    ? new NotOffered(text, { cause: error })
    : new Error(text, { cause: error });
}

/** Throws when the answer is no success. */
export function requireSuccess({ status, text }: Pick<Reply, 'status' | 'text'>): void {
  if (status === 400 || status === 404) throw new NotOffered(`${status} ${text.slice(0, 300)}`);
  if (status >= 400) throw new Error(`answered ${status}: ${text.slice(0, 300)}`);
}
