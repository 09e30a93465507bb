/**
 * Receives changes from the server while the page is visible; a tab in the background is not connected. After a lost
 * connection, asks the server for the reason and retries. When the person is no longer signed in, reloads the page,
 * which then asks for the token.
 */
import type { DashboardMessage } from '../../../../control/dashboard/protocol/state.ts';

/** The first retry is immediate; each later one waits this much longer. */
const delayMs = 1_000;
const longestDelayMs = 8_000;
const answerMs = 10_000;
/** The server sends something every 15 seconds: after this long without data, the connection is dead. */
const silenceMs = 40_000;

const noConnection = 'No connection.';
const refusals: Readonly<Record<number, string>> = {
  0: noConnection,
  429: 'The dashboard is open in too many windows. Close one of them.',
  503: 'The server is shutting down.',
};

export interface FeedEvents {
  message(message: DashboardMessage): void;
  /** @param why message that explains why the connection was lost */
  lost(why: string): void;
}

export function listen(base: string, { message, lost }: FeedEvents): void {
  let source: EventSource | undefined;
  let timer = 0;
  let silence = 0;
  let tries = 0;

  const close = () => {
    clearTimeout(timer);
    clearTimeout(silence);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    if (document.hidden) return;
    const opened = new EventSource(`${base}/dashboard/events`);
    source = opened;
    const cut = () => {
      if (source !== opened) return;
      close();
      // A connection that is back immediately is not considered lost.
      if (tries > 0) lost(noConnection);
      later();
    };
    const wait = () => {
      clearTimeout(silence);
      silence = setTimeout(cut, silenceMs);
    };
    const heard = () => {
      tries = 0;
      wait();
    };
    wait();
    opened.addEventListener('message', ({ data }) => {
      heard();
      message(JSON.parse(data));
    });
    opened.addEventListener('beat', heard);
    opened.addEventListener('error', cut);
  };
  const later = () => {
    timer = setTimeout(() => void again(), Math.min(longestDelayMs, delayMs * tries++));
  };
  /** Finds out with a HEAD request why the events are refused, which scripts cannot see otherwise. */
  const again = async () => {
    const signal = AbortSignal.timeout(answerMs);
    const status = await fetch(`${base}/dashboard/events`, { method: 'HEAD', cache: 'no-store', signal }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 401) return location.reload();
    if (source !== undefined) return;
    if (status === 200) return open();
    lost(refusals[status] ?? `The server responded with status ${status}.`);
    if (!document.hidden) later();
  };

  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  addEventListener('online', () => source ?? open());
  addEventListener('pagehide', close);
  addEventListener('pageshow', ({ persisted }) => persisted && open());
  open();
}
