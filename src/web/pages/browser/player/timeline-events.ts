/** Converts the events of a tab to entries of the lists next to the stage. */
import { isRecord, type RecordedEvent } from '../replay/messages.ts';
import { DocumentReader } from './document-reader.ts';

type EventKind = 'navigation' | 'reload' | 'click' | 'error' | 'notice' | 'console' | 'request';
export type ListName = 'events' | 'console' | 'network';

export interface TimelineEvent {
  /** Milliseconds since the start of the tab. */
  at: number;
  kind: EventKind;
  text: string;
  lists: readonly ListName[];
}

/** Length above which a pause without events is considered idle, in milliseconds. */
const idleMs = 5_000;
/** Parts of a pause that are not skipped: after the last event and before the next one. */
const idleAfterMs = 1_000;
const idleBeforeMs = 500;

export interface IdleTime {
  from: number;
  to: number;
}

const textCharacters = 500;
const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, textCharacters) : '');

/** Formats a URL for people. */
export function displayUrl(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, host, pathname, search } = new URL(address);
  return /^https?:$/.test(protocol) ? `${host}${pathname}${search}` : address.slice(0, 100);
}

export class TimelineReader {
  /** Times in which nothing happened. */
  readonly idle: IdleTime[] = [];
  readonly #documents = new DocumentReader();
  /** Start of the tab in epoch milliseconds; for a replay, the time of its first event. */
  #base: number | undefined;
  #lastMs = 0;
  #lastAddress = '';

  /** @param base undefined for a replay */
  constructor(base: number | undefined) {
    this.#base = base;
  }

  /** Time of the last event, in milliseconds. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /**
   * Reads the next event. Corrects its time when it is before that of the previous event.
   * @returns undefined for an event without an entry
   */
  read(event: RecordedEvent): TimelineEvent | undefined {
    this.#base ??= event.timestamp;
    const at = Math.max(this.#lastMs, event.timestamp - this.#base);
    event.timestamp = at + this.#base;
    this.#pause(at);
    const { type, data } = event;
    if (type === 2) this.#documents.document(data);
    else if (type === 3 && data['source'] === 0) this.#documents.change(data);
    else if (type === 3 && data['source'] === 2 && data['type'] === 2) return this.#click(at, data['id']);
    else if (type === 5 && isRecord(data['payload'])) return this.#readCustomEvent(at, data['tag'], data['payload']);
    return undefined;
  }

  /** @param lengthMs length of the tab in milliseconds */
  end(lengthMs: number): void {
    // Without any event, nothing is known about idle times.
    if (this.#lastMs > 0) this.#pause(lengthMs);
  }

  #pause(at: number): void {
    if (at - this.#lastMs > idleMs) this.idle.push({ from: this.#lastMs + idleAfterMs, to: at - idleBeforeMs });
    this.#lastMs = at;
  }

  #click(at: number, id: unknown): TimelineEvent {
    const name = this.#documents.nameOf(id);
    return { at, kind: 'click', text: name === '' ? 'Click' : `Click “${name}”`, lists: ['events'] };
  }

  #readCustomEvent(at: number, tag: unknown, payload: Record<string, unknown>): TimelineEvent | undefined {
    if (tag === 'navigation') {
      const address = textOf(payload['url']);
      const isSame = address === this.#lastAddress;
      this.#lastAddress = address;
      const text = isSame ? 'Reload' : displayUrl(address);
      return { at, kind: isSame ? 'reload' : 'navigation', text, lists: ['events'] };
    }
    if (tag === 'console') {
      const isError = payload['level'] === 'error';
      const text = textOf(payload['text']);
      return { at, kind: isError ? 'error' : 'console', text, lists: isError ? ['events', 'console'] : ['console'] };
    }
    if (tag === 'request') {
      const status = Number(payload['status']) || 0;
      const failed = status === 0 ? textOf(payload['error']) || 'failed' : String(status);
      const isError = status === 0 || status >= 400;
      const text = `${textOf(payload['method'])} ${displayUrl(textOf(payload['url']))} ${failed}`;
      return { at, kind: isError ? 'error' : 'request', text, lists: isError ? ['events', 'network'] : ['network'] };
    }
    if (tag === 'notice') return { at, kind: 'notice', text: textOf(payload['text']), lists: ['events'] };
    return undefined;
  }
}
