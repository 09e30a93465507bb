/** Declares the part of Page that evaluate.ts and document-lifecycle.ts use: its frame id, commands and events. */
import type { CommandParams, Commands, EventParams, Events } from '../cdp/connection.ts';

export interface DrivenPage {
  readonly mainFrameId: string;
  /** `documents` counts the documents that the main frame has had. */
  readonly life: { readonly documents: number };
  /** Calls the listener for each event until the page is disposed or the returned function is called. */
  on<E extends keyof Events>(event: E, listener: (params: EventParams<E>) => void): () => void;
  /** Sends a command; rejects with the deadline's abort reason or the page's failure if either comes first. */
  send<M extends keyof Commands>(method: M, params?: CommandParams<M>): Promise<Commands[M]['returnType']>;
  /** Resolves after `ms` milliseconds. */
  sleep(ms: number): Promise<void>;
}
