/** Records the requests and responses of a page, its frames and its workers, and optionally the response bodies. */
import type { CdpSession, EventParams } from '../../cdp/connection.ts';
import { now } from '../../../base/runtime/machine.ts';
import { linesOf } from '../../../base/schema/request/primitives.ts';
import type { MatchedRequest } from './request-match.ts';
import type { Page } from '../page.ts';
import { childTargetsOf } from '../child-targets.ts';

export interface RecordedRequest extends MatchedRequest {
  headers: { name: string; value: string }[];
  response: RecordedResponse | undefined;
}

interface RecordedResponse {
  status: number;
  headers: { name: string; value: string }[];
  mimeType: string;
  /** True once the body is complete, or the request has failed. */
  done: boolean;
  body: Promise<RecordedBody | undefined> | undefined;
}

export interface RecordedBody {
  text: string;
  encoding: 'utf8' | 'base64';
}

/** `finished`: the response is complete, or has failed. */
export type RecordEvent = 'request' | 'response' | 'finished';

/**
 * Limits on the number of kept requests and on their total text (data: URLs are long); beyond either limit, the oldest
 * requests are dropped.
 */
const maxRecords = 5_000;
const maxRecordCharacters = 32 * 2 ** 20;
/** Size of Chromium's buffer for unread bodies, in total and per body, in bytes. */
const bodyBuffers = { maxTotalBufferSize: 64 * 2 ** 20, maxResourceBufferSize: 16 * 2 ** 20 } as const;
/**
 * How long to wait for the loadingFinished events of responses, in milliseconds, because the load event arrives a
 * little before them. The document's own event always arrives; other responses may be streams that never end.
 */
const documentWaitMs = 2_000;
const responseWaitMs = 200;
const responsePollMs = 10;
/** Limit on the total size of the kept bodies, in characters. */
const maxBodyCharacters = 64 * 2 ** 20;

export class NetworkLog {
  readonly records: RecordedRequest[] = [];
  readonly #page: Page;
  readonly #open = new Map<string, RecordedRequest>();
  readonly #listeners = new Set<(record: RecordedRequest, event: RecordEvent) => void>();
  /** Resolves once bodies are kept; undefined while they are not needed. */
  #keeping: Promise<unknown> | undefined;
  #bodyCharacters = 0;
  /** Text size of each kept record, in characters. */
  readonly #sizes = new Map<RecordedRequest, number>();
  /** Key of each kept record in `#open`. */
  readonly #keys = new Map<RecordedRequest, string>();
  #recordCharacters = 0;

  constructor(page: Page) {
    this.#page = page;
    page.networkNeeded = true;
    page.watchNetwork();
    this.#listen(page.session);
    const { ready } = childTargetsOf(page).apply(({ session }) => {
      this.#listen(session);
      return this.#keeping ? [session.send('Network.enable', { ...bodyBuffers })] : [];
    });
    ready.catch(() => {});
  }

  /** Keeps response bodies from now on. */
  captureBodies(): void {
    if (this.#keeping) return;
    const sessions = [this.#page.session, ...childTargetsOf(this.#page).children.map(({ session }) => session)];
    this.#keeping = Promise.allSettled(sessions.map((session) => session.send('Network.enable', { ...bodyBuffers })));
  }

  /** Calls the listener for each event of a record until the returned function is called. */
  watch(listener: (record: RecordedRequest, event: RecordEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads the available bodies before a navigation discards them; waits a moment for responses not yet finished. */
  async readBodies(): Promise<void> {
    if (!this.#keeping) return;
    // If the page moved to another renderer before the first one had responded, the new renderer would not keep any
    // bodies.
    await this.#page.until(this.#keeping);
    const began = now();
    const patienceOf = ({ type }: RecordedRequest) => (type === 'document' ? documentWaitMs : responseWaitMs);
    const arriving = (record: RecordedRequest) => record.response?.done === false && now() - began < patienceOf(record);
    while ([...this.#open.values()].some(arriving)) await this.#page.sleep(responsePollMs);
    await this.#page.until(Promise.all(this.records.map(({ response }) => response?.body)));
  }

  #listen(session: CdpSession): void {
    const key = (requestId: string) => `${session.id} ${requestId}`;
    const stops = [
      session.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other', redirectResponse }) => {
        if (redirectResponse) this.#answered(key(requestId), redirectResponse, true);
        const { url, method, headers } = request;
        this.#begin(key(requestId), { url, method, type, headers });
      }),
      session.on('Network.responseReceived', ({ requestId, response }) => {
        this.#answered(key(requestId), response, false);
      }),
      session.on('Network.loadingFinished', ({ requestId }) => this.#finish(key(requestId), session, requestId)),
      session.on('Network.loadingFailed', ({ requestId }) => this.#finish(key(requestId), undefined, requestId)),
      session.on('Network.webSocketWillSendHandshakeRequest', ({ requestId, request }) => {
        const record = this.#open.get(key(requestId));
        if (record) record.headers = toList(request.headers);
      }),
      session.on('Network.webSocketCreated', ({ requestId, url }) => {
        this.#begin(key(requestId), { url, method: 'GET', type: 'WebSocket', headers: {} });
      }),
      session.on('Network.webSocketHandshakeResponseReceived', ({ requestId, response }) => {
        const { status, headers } = response;
        this.#answered(key(requestId), { status, headers, mimeType: '' }, true);
        this.#closed(key(requestId));
      }),
      session.on('Network.webSocketClosed', ({ requestId }) => this.#closed(key(requestId))),
    ];
    for (const stop of stops) this.#page.undo(stop);
  }

  #begin(key: string, { url, method, type, headers }: BegunRequest): void {
    const record: RecordedRequest = {
      url,
      method,
      type: kindOf(type),
      headers: toList(headers),
      response: undefined,
    };
    this.#open.set(key, record);
    this.#keys.set(record, key);
    this.records.push(record);
    this.#sizes.set(record, 0);
    this.#measure(record);
    for (const listener of this.#listeners) listener(record, 'request');
  }

  /**
   * Measures a record and drops the oldest ones: the page decides how many requests there are and how long they are,
   * and must not exhaust our memory.
   */
  #measure(record: RecordedRequest): void {
    const before = this.#sizes.get(record);
    // Dropped before its response arrived.
    if (before === undefined) return;
    const size = charactersOf(record);
    this.#sizes.set(record, size);
    this.#recordCharacters += size - before;
    const tooMuch = () => this.records.length > maxRecords || this.#recordCharacters > maxRecordCharacters;
    while (this.records.length > 1 && tooMuch()) {
      const forgotten = this.records.shift();
      if (!forgotten) return;
      this.#recordCharacters -= this.#sizes.get(forgotten) ?? 0;
      this.#sizes.delete(forgotten);
      // Chromium does not report the end of requests whose document no longer exists.
      const key = this.#keys.get(forgotten);
      this.#keys.delete(forgotten);
      if (key !== undefined && this.#open.get(key) === forgotten) this.#closed(key);
      void forgotten.response?.body?.then((body) => (this.#bodyCharacters -= body?.text.length ?? 0));
    }
  }

  #answered(key: string, response: Pick<ResponseInfo, 'status' | 'headers' | 'mimeType'>, done: boolean): void {
    const record = this.#open.get(key);
    if (!record) return;
    const { status, headers, mimeType } = response;
    record.status = status;
    record.response = { status, headers: toList(headers), mimeType, done, body: undefined };
    this.#measure(record);
    for (const listener of this.#listeners) listener(record, 'response');
  }

  #finish(key: string, session: CdpSession | undefined, requestId: string): void {
    const record = this.#open.get(key);
    const response = record?.response;
    this.#closed(key);
    if (!response) return;
    response.done = true;
    // Bodies being read now are not counted here: Chromium's buffer limit bounds them.
    if (session && this.#keeping && this.#bodyCharacters < maxBodyCharacters) {
      response.body = this.#read(session, requestId);
    }
    for (const listener of this.#listeners) listener(record, 'finished');
  }

  #closed(key: string): void {
    this.#open.delete(key);
  }

  async #read(session: CdpSession, requestId: string): Promise<RecordedBody | undefined> {
    try {
      const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
      this.#bodyCharacters += body.length;
      return { text: body, encoding: base64Encoded ? 'base64' : 'utf8' };
    } catch {
      // The body was too large for Chromium's buffer, or its document no longer exists.
      return undefined;
    }
  }
}

interface BegunRequest {
  url: string;
  method: string;
  /** Chromium's resource type. */
  type: string;
  headers: Record<string, string>;
}

type ResponseInfo = EventParams<'Network.responseReceived'>['response'];

function charactersOf({ url, headers, response }: RecordedRequest): number {
  const all = [...headers, ...(response?.headers ?? [])];
  return all.reduce((sum, { name, value }) => sum + name.length + value.length, url.length);
}

function kindOf(type: string): string {
  const kind = type.toLowerCase();
  return kind === 'fedcm' ? 'other' : kind;
}

function toList(headers: Record<string, string>): { name: string; value: string }[] {
  return Object.entries(headers).flatMap(([name, text]) => linesOf(text).map((value) => ({ name, value })));
}
