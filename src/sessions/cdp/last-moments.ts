/** Captures the last moments of recorded pages before a client closes them or navigates to another document. */
import type { ClientCommand } from './client-command.ts';

interface RecordingAddress {
  recordingId: string;
  /** Where to fetch the recording, without a token. */
  url: string;
}

/**
 * Records the pages of the session for one client; failures are a ServiceError with a message for the client. `page` is
 * the target id of the page that a command was sent to.
 */
export interface ClientRecorder {
  /** Starts recording the pages, beginning with this one. */
  start(page: string, options: { frameRate: number }): Promise<RecordingAddress>;
  /** Ends the recording. @returns the video of the page */
  stop(page: string, options: { encoding: 'binary' | 'base64' }): Promise<RecordingAddress & { value: string }>;
  /** Ends the replay of the session. */
  stopReplay(): Promise<RecordingAddress>;
  /** Ends the recording of pages that are about to close; undefined when none is recorded. */
  closing(isClosing: (page: string, context: string | undefined) => boolean): Promise<unknown> | undefined;
  /** Saves what a page shows before it navigates to another document; undefined when no replay is recorded. */
  leaving(page: string): Promise<unknown> | undefined;
}

/** Commands with which a client closes pages. */
const closingCommands: ReadonlySet<string> = new Set([
  'Target.closeTarget',
  'Page.close',
  'Target.disposeBrowserContext',
]);

/** Commands with which a client navigates a page to another document. */
const navigationCommands: ReadonlySet<string> = new Set([
  'Page.navigate',
  'Page.reload',
  'Page.navigateToHistoryEntry',
]);

/**
 * @param page the page that the command was sent to, if any
 * @returns a promise that resolves when the command may run; undefined when it may run immediately
 */
export function recordLastMoments(
  { method, params }: ClientCommand,
  page: string | undefined,
  recorder: ClientRecorder,
): Promise<unknown> | undefined {
  if (navigationCommands.has(method)) return page === undefined ? undefined : recorder.leaving(page);
  if (!closingCommands.has(method)) return undefined;
  const { targetId = page, browserContextId } = params;
  return recorder.closing((each, context) =>
    method === 'Target.disposeBrowserContext' ? context === browserContextId : each === targetId,
  );
}
