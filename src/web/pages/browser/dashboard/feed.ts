/**
 * Listens to what changes, while somebody can see the page: a tab in the background is not connected. After a cut it
 * asks why there are no events, and tries again; whoever is no longer signed in gets the page that asks for the token.
 */
import type { DashboardMessage } from '../../../../control/dashboard/protocol/state.ts';

/** The first try comes at once, each later one waits for so much longer. */
const delayMs = 1_000;
const longestDelayMs = 8_000;
const answerMs = 10_000;
/** The server sends something every 15 seconds: without anything for so long, the connection is dead. */
const silenceMs = 40_000;

const noConnection = 'No connection.';
const refusals: Readonly<Record<number, string>> = {
  0: noConnection,
  429: 'The dashboard is open in too many windows. Close one of them.',
  503: 'The server is shutting down.',
};

export interface FeedEvents {
  message(message: DashboardMessage): void;
  /** @param why a sentence */
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
      // One that is there again at once was no loss.
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
  /** A script does not learn why events are refused: their head tells. */
  const again = async () => {
    const signal = AbortSignal.timeout(answerMs);
    const status = await fetch(`${base}/dashboard/events`, { method: 'HEAD', cache: 'no-store', signal }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 401) return location.reload();
    if (source !== undefined) return;
    if (status === 200) return open();
    lost(refusals[status] ?? `The server answers ${status}.`);
    if (!document.hidden) later();
  };

  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  addEventListener('online', () => source ?? open());
  addEventListener('pagehide', close);
  addEventListener('pageshow', ({ persisted }) => persisted && open());
  open();
}
