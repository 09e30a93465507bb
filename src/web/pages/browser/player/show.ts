/** Shows one tab of a recording at a time, and keeps its image, timeline and lists in sync. */
import type { PlayedTab } from '../../serve/played-recording.ts';
import { button, part, setText } from '../dom/parts.ts';
import type { RecordedEvent } from '../replay/messages.ts';
import { TimelineReader, type IdleTime } from './timeline-events.ts';
import { createLists } from './lists.ts';
import type { TabView, TabViewListener } from './picture.ts';
import { readEvents } from './read-events.ts';
import { createReplay } from './replay.ts';
import { createTimeLine } from './timeline.ts';
import { createVideo } from './video.ts';

export type Player = ReturnType<typeof createShow>;

/** The state of the shown tab. */
interface OpenTab {
  view: TabView | undefined;
  length: number;
  idle: readonly IdleTime[];
  /** Aborts the reading of its events. */
  readController: AbortController;
}

/** @param from URL prefix of the recording's resources */
export function createShow(from: string) {
  const { body } = document;
  const stage = part('stage', HTMLElement);
  let shown: OpenTab | undefined;
  let ms = 0;
  let speed = 1;
  let isPlaying = false;
  let isSkipping = true;
  /** The note about the recording; notes about a tab follow it. */
  let about = '';
  const line = createTimeLine((to) => show.seek(to));
  const lists = createLists((to) => show.seek(to));

  function setPlaying(on: boolean): void {
    isPlaying = on;
    body.classList.toggle('playing', on);
    const label = on ? 'Pause' : 'Play';
    button('play').ariaLabel = label;
    button('play').title = label;
  }

  function setTime(to: number): void {
    ms = to;
    line.setTime(to);
    lists.setTime(to);
  }

  function setLength(of: OpenTab, length: number): void {
    of.length = length;
    if (of === shown) line.setLength(length);
  }

  /** Follows the image while it plays, and skips idle times. */
  function follow(of: OpenTab): void {
    if (!isPlaying || of !== shown) return;
    const at = of.view?.ms ?? 0;
    const idle = isSkipping ? of.idle.find(({ from: begin, to }) => at >= begin && at < to - 100) : undefined;
    if (idle) of.view?.seek(idle.to);
    setTime(Math.min(idle?.to ?? at, of.length));
    requestAnimationFrame(() => follow(of));
  }

  const listenerOf = (of: OpenTab): TabViewListener => ({
    onShown() {
      if (of === shown) body.dataset['state'] = 'ready';
    },
    onLength: (length) => setLength(of, length),
    onEnd() {
      if (of !== shown) return;
      setPlaying(false);
      of.view?.pause();
      setTime(of.length);
    },
    onError(text) {
      if (of === shown) show.showMessage('This tab cannot be shown', text);
    },
  });

  const warn = (text: string) => setNote([about, text].filter(Boolean).join(' '));
  async function read(of: OpenTab, tab: PlayedTab, add?: (events: RecordedEvent[], isLast: boolean) => void) {
    const reader = new TimelineReader(add ? undefined : tab.startedOn);
    const ending = await readEvents(`${from}/events?tab=${tab.tab}`, of.readController.signal, (events) => {
      if (of.readController.signal.aborted) return;
      for (const event of events) {
        const happening = reader.read(event);
        if (!happening) continue;
        lists.add(happening);
        line.mark(happening);
      }
      if (reader.lastMs > of.length) setLength(of, reader.lastMs);
      add?.(events, false);
    });
    if (of !== shown) return;
    if (add && reader.lastMs > 0) setLength(of, reader.lastMs);
    add?.([], true);
    reader.end(of.length);
    of.idle = reader.idle;
    line.setIdle(reader.idle);
    lists.setTime(ms);
    lists.setEmpty(ending === 'none' ? 'No events were recorded' : 'Nothing');
    if (ending === 'broken') warn('Some events cannot be read.');
    if (ending === 'cut') warn('Not all events of the tab are shown.');
  }

  const show = {
    get isPlaying() {
      return isPlaying;
    },
    get ms() {
      return ms;
    },
    get length() {
      return shown?.length ?? 0;
    },
    open(kind: 'video' | 'replay', tab: PlayedTab) {
      shown?.readController.abort();
      shown?.view?.remove();
      setPlaying(false);
      setNote(about);
      line.clear();
      lists.clear();
      const of: OpenTab = { view: undefined, length: 0, idle: [], readController: new AbortController() };
      shown = of;
      if (tab.width > 0 && tab.height > 0) stage.style.setProperty('--shape', `${tab.width} / ${tab.height}`);
      show.showMessage('Loading', '');
      setLength(of, Math.max(0, tab.endedOn - tab.startedOn));
      setTime(0);
      if (kind === 'replay') {
        const picture = createReplay(stage, `${from}/replay`, listenerOf(of));
        of.view = picture;
        void read(of, tab, (events, isLast) => picture.add(events, isLast));
      } else {
        if (tab.bytes > 0) of.view = createVideo(stage, `${from}/video.mp4?tab=${tab.tab}`, listenerOf(of));
        else show.showMessage('There is no video of this tab', 'It was closed before anything was drawn.');
        void read(of, tab);
      }
      of.view?.setSpeed(speed);
    },
    play() {
      const of = shown;
      if (!of?.view) return;
      if (ms >= of.length - 50) show.seek(0);
      setPlaying(true);
      of.view.play();
      requestAnimationFrame(() => follow(of));
    },
    pause() {
      setPlaying(false);
      shown?.view?.pause();
    },
    seek(to: number) {
      const within = Math.min(Math.max(0, to), show.length);
      shown?.view?.seek(within);
      setTime(within);
    },
    setSpeed(to: number) {
      speed = to;
      shown?.view?.setSpeed(to);
    },
    setSkipping(on: boolean) {
      isSkipping = on;
    },
    /** Shows a message in place of the video or page. */
    showMessage(title: string, text: string) {
      body.dataset['state'] = 'words';
      setText(part('veil-title', HTMLElement), title);
      setText(part('veil-text', HTMLElement), text);
    },
    /** Shows a note above the image; an empty string removes it. */
    showNote(text: string) {
      about = text;
      setNote(text);
    },
  };
  return show;
}

function setNote(text: string): void {
  const note = part('note', HTMLElement);
  note.hidden = text === '';
  setText(note, text);
}
