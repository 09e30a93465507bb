/** What modules of a page need of it: its identity, its commands, its events. */
import type { CommandParams, Commands, EventParams, Events } from '../cdp/connection.ts';

export interface DrivenPage {
  readonly mainFrameId: string;
  /** Counts the documents that the main frame had. */
  readonly life: { readonly documents: number };
  /** Calls the listener for each event until the page is disposed or the returned function called. */
  on<E extends keyof Events>(event: E, listener: (params: EventParams<E>) => void): () => void;
  /** Sends a command; rejects with the deadline's reason or the page's failure when that comes first. */
  send<M extends keyof Commands>(method: M, params?: CommandParams<M>): Promise<Commands[M]['returnType']>;
  /** Resolves after so many milliseconds. */
  sleep(ms: number): Promise<void>;
}
