// Defines an endpoint: one way to open a page through the service.
import type { Reply } from '../../../support/clients/http.ts';
import type { Service } from '../../../support/service.ts';

export interface Visit {
  /** URL of a lab page. */
  url: string;
  /**
   * Selector of an element that appears when the page has reported everything; the endpoint keeps the page open until
   * then.
   */
  selector: string;
  /** Aborts at the endpoint's time limit. */
  signal: AbortSignal;
  /** If set, the endpoint must click the #go button, type this into #in, and then wait for the #sent element. */
  type?: string;
}

export interface Endpoint {
  /** The endpoint's name in --endpoints and in the table. */
  name: string;
  title: string;
  /** Whether the endpoint's browser must look like the reference. */
  stealth: boolean;
  /** Whether the endpoint can click and type. */
  types?: true;
  /** Time limit for one visit in milliseconds. Default 60000. */
  limitMs?: number;
  /**
   * Opens the page and returns when the element is there.
   * @throws NotOffered when the service does not have this endpoint
   */
  visit(service: Service, visit: Visit): Promise<void>;
}

/** The service does not have this endpoint: it responded with 400 or 404. */
export class NotOffered extends Error {
  override name = 'NotOffered';
}

/** The message of a value that a client threw; Puppeteer throws the socket's event, which is not an Error. */
export function messageOf(error: unknown): string {
  const isTold = typeof error === 'object' && error !== null && 'message' in error;
  return isTold ? String(error.message) : String(error);
}

/** The error for a failed handshake: NotOffered when the service responded with 400 or 404. */
export function handshakeError(error: unknown): Error {
  const text = messageOf(error);
  return /(?:^|\s)(?:400|404)\b/.test(text)
    ? new NotOffered(text, { cause: error })
    : new Error(text, { cause: error });
}

/** Throws if the response is not a success. */
export function requireSuccess({ status, text }: Pick<Reply, 'status' | 'text'>): void {
  if (status === 400 || status === 404) throw new NotOffered(`${status} ${text.slice(0, 300)}`);
  if (status >= 400) throw new Error(`responded with ${status}: ${text.slice(0, 300)}`);
}
