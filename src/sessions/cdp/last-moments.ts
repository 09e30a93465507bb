/** Keeps what happens in recorded pages right before a client closes them, or goes to another document. */
import type { ClientCommand } from './client-command.ts';
import type { RecordingAddress } from './recording-commands.ts';

/** Records the pages of the session for one client. `page` is the target id of the page that asks. */
export interface ClientRecorder {
  start(page: string, options: { frameRate: number }): Promise<RecordingAddress>;
  stop(page: string, options: { encoding: 'binary' | 'base64' }): Promise<RecordingAddress & { value: string }>;
  stopReplay(): Promise<RecordingAddress>;
  /** Ends the recording of pages that are about to close; undefined when none is recorded. */
  closing(isClosing: (page: string, context: string | undefined) => boolean): Promise<unknown> | undefined;
  /** Takes over what a page shows that is about to go to another document; undefined when no replay is recorded. */
  leaving(page: string): Promise<unknown> | undefined;
}

/** Commands with which a client closes pages. */
const closesPages: ReadonlySet<string> = new Set(['Target.closeTarget', 'Page.close', 'Target.disposeBrowserContext']);

/** Commands with which a client sends a page to another document. */
const leavesDocument: ReadonlySet<string> = new Set(['Page.navigate', 'Page.reload', 'Page.navigateToHistoryEntry']);

/**
 * @param page that the command was sent to, when it is one
 * @returns when the command may be carried out; undefined for at once
 */
export function keepsLastMoments(
  { method, params }: ClientCommand,
  page: string | undefined,
  recorder: ClientRecorder,
): Promise<unknown> | undefined {
  if (leavesDocument.has(method)) return page === undefined ? undefined : recorder.leaving(page);
  if (!closesPages.has(method)) return undefined;
  const { targetId = page, browserContextId } = params;
  return recorder.closing((each, context) =>
    method === 'Target.disposeBrowserContext' ? context === browserContextId : each === targetId,
  );
}
