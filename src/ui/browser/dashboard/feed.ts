/**
 * Listens to what changes, while somebody can see the page: a tab in the background is not connected. After a cut it
 * tries again; whoever is no longer signed in gets the page that asks for the token.
 */
import type { DashboardMessage } from '../../../dashboard/protocol/state.ts';

const firstDelayMs = 1_000;
const longestDelayMs = 8_000;
/** The server sends something every 15 seconds: without anything for so long, the connection is dead. */
const silenceMs = 40_000;

export interface FeedEvents {
  message(message: DashboardMessage): void;
  lost(): void;
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
      lost();
      timer = setTimeout(() => void again(), Math.min(longestDelayMs, firstDelayMs * 2 ** tries++));
    };
    const heard = () => {
      tries = 0;
      clearTimeout(silence);
      silence = setTimeout(cut, silenceMs);
    };
    opened.addEventListener('message', ({ data }) => {
      heard();
      message(JSON.parse(data));
    });
    opened.addEventListener('beat', heard);
    opened.addEventListener('error', cut);
  };
  /** A script does not learn why events are refused; the page has the same check. */
  const again = async () => {
    const status = await fetch(`${base}/dashboard`, { method: 'HEAD', cache: 'no-store' }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 401) location.reload();
    else if (source === undefined) open();
  };

  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  addEventListener('online', () => source ?? open());
  addEventListener('pagehide', close);
  addEventListener('pageshow', ({ persisted }) => persisted && open());
  open();
}
