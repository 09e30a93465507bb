/** Records the windows that the pages of code have opened, and limits them (windowLimits). */
import type { CdpSession } from '../../browser/cdp/connection.ts';
import type { NewWindow, WindowInfo } from '../../browser/cdp/new-windows.ts';
import { windowLimits } from '../../base/limits.ts';

export class CodeWindows {
  /** The sessions of open windows, each with the session of its tab. */
  readonly #tabs = new Map<string, CdpSession>();
  /** Windows that have loaded no document, by target id. */
  readonly #blank = new Set<string>();
  /** For each window, including closed ones, how many windows led to it. */
  readonly #depths = new Map<string, number>();

  /** Adds a window. Returns the reason when there are too many. */
  add({ sessionId, info: { targetId, openerId = '' }, tab }: NewWindow): string | undefined {
    const depth = (this.#depths.get(openerId) ?? 0) + 1;
    const reason = refusalOf(this.#tabs.size + 1, this.#depths.size + 1, depth);
    if (reason !== undefined) return reason;
    this.#depths.set(targetId, depth);
    this.#tabs.set(sessionId, tab);
    this.#blank.add(targetId);
    return undefined;
  }

  /** Returns the session of the tab that attached this session of a window. */
  tabOf(sessionId: string): CdpSession | undefined {
    return this.#tabs.get(sessionId);
  }

  /** Records a change of a window's URL. */
  changed({ targetId, url, openerId }: WindowInfo): void {
    // In the shell, a window that a click with Ctrl opened starts with about:blank; it has no opener.
    if (url !== '' && (url !== 'about:blank' || openerId !== undefined)) this.#blank.delete(targetId);
  }

  /** True while a window has loaded no document: it may be about to download a file. */
  get someBlank(): boolean {
    return this.#blank.size > 0;
  }

  isBlank(targetId: string): boolean {
    return this.#blank.has(targetId);
  }

  closed(sessionId: string, targetId: string): void {
    this.#tabs.delete(sessionId);
    this.#blank.delete(targetId);
  }
}

/** Why the pages of code may not open another window; undefined when they may. */
function refusalOf(open: number, total: number, depth: number): string | undefined {
  const limits = windowLimits;
  if (depth > limits.depth)
    return `The pages of the code opened windows in a loop: more than ${limits.depth}, each by the one before.`;
  if (open > limits.open)
    return `The pages of the code have more than ${limits.open} windows open. Close windows before you open more.`;
  if (total > limits.total)
    return `The pages of the code opened more than ${limits.total} windows. Open fewer in one request.`;
  return undefined;
}
