/** Shows the queue and the recordings. */
import type {
  DashboardState,
  QueueEntry,
  RecordingEntry,
  PartialList,
} from '../../../../control/dashboard/protocol/state.ts';
import { cloneTemplate, part, setText, within } from '../dom/parts.ts';
import { clock, formatDuration } from '../live/watch/status.ts';
import { ask, post } from './actions.ts';
import { showLongestWait } from './figures.ts';
import { removeKeepingFocus } from './focus.ts';
import { gibibytes, size } from './words.ts';

/** @param base path prefix of all URLs */
export function createLists(base: string) {
  let waiting: { wait: HTMLElement; since: number }[] = [];
  /** By recording id. The listed recordings have ended and no longer change. */
  const kept = new Map<string, { row: HTMLElement; ended: HTMLElement; endedOn: number }>();

  const queued = ({ route, trackingId, since }: QueueEntry, index: number) => {
    const row = cloneTemplate('queued');
    setText(within(row, '.place', HTMLElement), String(index + 1));
    setText(within(row, 'code', HTMLElement), route);
    setText(within(row, '.call span', HTMLElement), trackingId ?? '');
    waiting.push({ wait: within(row, '.wait', HTMLElement), since });
    return row;
  };

  const recorded = (entry: RecordingEntry) => {
    const { id, title, kind, tabs, isCutShort, lengthMs, bytes, endedOn, video } = entry;
    const row = cloneTemplate('recording');
    row.classList.add(kind);
    setText(within(row, 'b', HTMLElement), title);
    within(row, 'b', HTMLElement).title = title;
    const name = kind === 'video' ? 'Video' : 'Replay';
    setText(within(row, '.kind', HTMLElement), tabs > 1 ? `${name}, ${tabs} tabs` : name);
    within(row, '.badge', HTMLElement).hidden = !isCutShort;
    setText(within(row, '.length', HTMLElement), clock(Math.round(lengthMs / 1_000)));
    setText(within(row, '.size', HTMLElement), size(bytes));
    kept.set(id, { row, ended: within(row, '.ended', HTMLElement), endedOn });
    const address = `${base}/dashboard/recordings/${id}`;
    const play = within(row, 'form', HTMLFormElement);
    play.action = `${address}/play`;
    within(play, 'button', HTMLButtonElement).setAttribute('aria-label', `Play ${title}`);
    const download = within(row, 'a', HTMLAnchorElement);
    download.hidden = video === null;
    download.href = `${address}/video.mp4?tab=${video}`;
    download.setAttribute('aria-label', `Download ${title}`);
    const remove = within(row, '.delete', HTMLButtonElement);
    remove.setAttribute('aria-label', `Delete ${title}`);
    remove.addEventListener('click', () => void removeAfterQuestion(address, title));
    return row;
  };

  const removeAfterQuestion = async (address: string, title: string) => {
    const isSure = await ask({
      title: 'Delete this recording?',
      text: `${title}: its files will be deleted permanently.`,
      yes: 'Delete',
    });
    if (isSure) await post(`${address}/delete`);
  };

  return {
    queue({ shown, total }: PartialList<QueueEntry>) {
      waiting = [];
      part('queue', HTMLElement).replaceChildren(...shown.map(queued));
      part('no-queue', HTMLElement).hidden = total > 0;
      setText(part('queue-count', HTMLElement), total > 0 ? String(total) : '');
    },
    recordings({ shown, more, maxBytes, days }: DashboardState['recordings']) {
      const now = new Set(shown.map(({ id }) => id));
      for (const [id, { row }] of kept) {
        if (now.has(id)) continue;
        removeKeepingFocus(row, part('recordings-title', HTMLElement));
        kept.delete(id);
      }
      const rows = part('recording-rows', HTMLElement);
      for (const [index, entry] of shown.entries()) {
        const row = kept.get(entry.id)?.row ?? recorded(entry);
        const there = rows.children[index] ?? null;
        if (there !== row) rows.insertBefore(row, there);
      }
      part('recordings', HTMLElement).hidden = shown.length === 0;
      part('no-recordings', HTMLElement).hidden = shown.length > 0;
      setText(part('recording-count', HTMLElement), shown.length > 0 ? `${shown.length}${more ? '+' : ''}` : '');
      const used = size(shown.reduce((sum, { bytes }) => sum + bytes, 0));
      const limit = maxBytes > 0 ? ` of ${gibibytes(maxBytes)} GiB` : '';
      const time = days > 0 ? `kept ${days} ${days === 1 ? 'day' : 'days'}` : 'kept forever';
      setText(part('kept', HTMLElement), `${more ? 'More than ' : ''}${used}${limit}, ${time}`);
    },
    /** Updates waits and ages. @param now server time in epoch milliseconds */
    tick(now: number) {
      const seconds = (since: number) => Math.max(0, Math.floor((now - since) / 1_000));
      for (const { wait, since } of waiting) setText(wait, formatDuration(seconds(since)));
      for (const { ended, endedOn } of kept.values()) setText(ended, `${formatDuration(seconds(endedOn))} ago`);
      const [first] = waiting;
      showLongestWait(first && Math.max(0, now - first.since));
    },
  };
}
