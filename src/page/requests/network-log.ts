/** A record of a page's requests and responses, with bodies where they are wanted. Frames and workers included. */
import type { CdpSession, EventParams } from '../../cdp/connection.ts';
import { now } from '../../runtime/machine.ts';
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

/** Requests that are remembered, and their text (data: addresses are long); the oldest are forgotten. */
const maxRecords = 5_000;
const maxRecordCharacters = 32 * 2 ** 20;
/** What Chromium keeps of bodies until we have read them, and of one body, in bytes. */
const bodyBuffers = { maxTotalBufferSize: 64 * 2 ** 20, maxResourceBufferSize: 16 * 2 ** 20 } as const;
/**
 * The end of a load is told a little before that of its responses: how long to wait for them, in milliseconds. The
 * document itself is complete by then, and its end is sure to be told; others may be streams that never end.
 */
const documentArrivalMs = 2_000;
const arrivalMs = 200;
const arrivalLookMs = 10;
/** What we keep of bodies altogether, in characters. */
const maxBodyCharacters = 64 * 2 ** 20;

export class NetworkLog {
  readonly records: RecordedRequest[] = [];
  readonly #page: Page;
  readonly #open = new Map<string, RecordedRequest>();
  readonly #listeners = new Set<(record: RecordedRequest, event: RecordEvent) => void>();
  #bodies = false;
  #bodyCharacters = 0;
  /** Text of each record that is remembered, in characters. */
  readonly #sizes = new Map<RecordedRequest, number>();
  #recordCharacters = 0;
  #quietSince = Date.now();

  constructor(page: Page) {
    this.#page = page;
    page.networkNeeded = true;
    page.watchNetwork();
    this.#listen(page.session);
    const { ready } = childTargetsOf(page).apply(({ session }) => {
      this.#listen(session);
      return this.#bodies ? [session.send('Network.enable', { ...bodyBuffers })] : [];
    });
    ready.catch(() => {});
  }

  /** Bodies are kept from now on. */
  keepBodies(): void {
    if (this.#bodies) return;
    this.#bodies = true;
    const sessions = [this.#page.session, ...childTargetsOf(this.#page).children.map(({ session }) => session)];
    for (const session of sessions) session.send('Network.enable', { ...bodyBuffers }).catch(() => {});
  }

  /** Calls the listener for each request, each response and each end until the returned function is called. */
  watch(listener: (record: RecordedRequest, event: RecordEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Milliseconds for which at most so many requests were open; 0 while there are more. */
  quietFor(open = 0): number {
    return this.#open.size > open ? 0 : Date.now() - this.#quietSince;
  }

  /** Reads the bodies that are there; a page that is left takes them along. Waits a moment for those on their way. */
  async readBodies(): Promise<void> {
    if (!this.#bodies) return;
    const began = now();
    const patienceOf = ({ type }: RecordedRequest) => (type === 'document' ? documentArrivalMs : arrivalMs);
    const arriving = (record: RecordedRequest) => record.response?.done === false && now() - began < patienceOf(record);
    while ([...this.#open.values()].some(arriving)) await this.#page.sleep(arrivalLookMs);
    await this.#page.until(Promise.all(this.records.map(({ response }) => response?.body)));
  }

  #listen(session: CdpSession): void {
    const key = (requestId: string) => `${session.id} ${requestId}`;
    const page = this.#page;
    page.undo(
      session.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other', redirectResponse }) => {
        if (redirectResponse) this.#answered(key(requestId), redirectResponse, true);
        const { url, method, headers } = request;
        this.#begin(key(requestId), { url, method, type, headers });
      }),
    );
    page.undo(
      session.on('Network.responseReceived', ({ requestId, response }) => {
        this.#answered(key(requestId), response, false);
      }),
    );
    page.undo(
      session.on('Network.loadingFinished', ({ requestId }) => this.#finish(key(requestId), session, requestId)),
    );
    page.undo(
      session.on('Network.loadingFailed', ({ requestId }) => this.#finish(key(requestId), undefined, requestId)),
    );
    page.undo(
      session.on('Network.webSocketWillSendHandshakeRequest', ({ requestId, request }) => {
        const record = this.#open.get(key(requestId));
        if (record) record.headers = toList(request.headers);
      }),
    );
    page.undo(
      session.on('Network.webSocketCreated', ({ requestId, url }) => {
        this.#begin(key(requestId), { url, method: 'GET', type: 'WebSocket', headers: {} });
      }),
    );
    page.undo(
      session.on('Network.webSocketHandshakeResponseReceived', ({ requestId, response }) => {
        const { status, headers } = response;
        this.#answered(key(requestId), { status, headers, mimeType: '' }, true);
        this.#closed(key(requestId));
      }),
    );
    page.undo(session.on('Network.webSocketClosed', ({ requestId }) => this.#closed(key(requestId))));
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
    this.records.push(record);
    this.#sizes.set(record, 0);
    this.#measure(record);
    for (const listener of this.#listeners) listener(record, 'request');
  }

  /** What a page requests is its own affair: neither the number of requests nor their length may fill our memory. */
  #measure(record: RecordedRequest): void {
    const before = this.#sizes.get(record);
    // Forgotten before its answer came.
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
      void forgotten.response?.body?.then((body) => (this.#bodyCharacters -= body?.text.length ?? 0));
    }
  }

  #answered(key: string, response: Pick<Answer, 'status' | 'headers' | 'mimeType'>, done: boolean): void {
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
    // Those that are being read were kept by Chromium, which has a limit for all of them.
    if (session && this.#bodies && this.#bodyCharacters < maxBodyCharacters) {
      response.body = this.#read(session, requestId);
    }
    for (const listener of this.#listeners) listener(record, 'finished');
  }

  #closed(key: string): void {
    if (this.#open.delete(key) && this.#open.size === 0) this.#quietSince = Date.now();
  }

  async #read(session: CdpSession, requestId: string): Promise<RecordedBody | undefined> {
    try {
      const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
      this.#bodyCharacters += body.length;
      return { text: body, encoding: base64Encoded ? 'base64' : 'utf8' };
    } catch {
      // It was too large to be kept, or its document is gone.
      return undefined;
    }
  }
}

interface BegunRequest {
  url: string;
  method: string;
  /** Chromium's name of its kind. */
  type: string;
  headers: Record<string, string>;
}

type Answer = EventParams<'Network.responseReceived'>['response'];

function charactersOf({ url, headers, response }: RecordedRequest): number {
  const all = [...headers, ...(response?.headers ?? [])];
  return all.reduce((sum, { name, value }) => sum + name.length + value.length, url.length);
}

function kindOf(type: string): string {
  const kind = type.toLowerCase();
  return kind === 'fedcm' ? 'other' : kind;
}

function toList(headers: Record<string, string>): { name: string; value: string }[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value: String(value) }));
}
