/** Shows a tab as the rebuilt page, in a frame whose document has an opaque origin. */
import type { FromReplay, RecordedEvent, ToReplay } from '../replay/messages.ts';
import type { TabView, TabViewListener } from './picture.ts';

export interface ReplayFrame extends TabView {
  add(events: RecordedEvent[], isLast: boolean): void;
}

export function createReplay(stage: HTMLElement, address: string, listener: TabViewListener): ReplayFrame {
  const frame = document.createElement('iframe');
  frame.title = 'Tab replay';
  frame.tabIndex = -1;
  frame.src = address;
  /** Messages to send once the document reports that it is ready. */
  const waiting: ToReplay[] = [];
  let isThere = false;
  let isPlaying = false;
  let ms = 0;

  const inner = () => frame.contentWindow?.frames[0];
  const send = (message: ToReplay) => {
    // The origin is opaque, so no other target can be named.
    if (isThere) inner()?.postMessage(message, '*');
    else waiting.push(message);
  };
  const listen = ({ source, data }: MessageEvent<FromReplay>) => {
    if (source === null || source !== inner()) return;
    if (data.t === 'hello') {
      isThere = true;
      for (const message of waiting.splice(0)) send(message);
    } else if (data.t === 'at') {
      if (isPlaying) ms = data.ms;
    } else if (data.t === 'shown') listener.onShown();
    else if (data.t === 'end') listener.onEnd();
    else if (data.t === 'failed') {
      listener.onError('The events of this tab contain no readable document.');
    }
  };
  addEventListener('message', listen);
  stage.append(frame);
  const show = () => send(isPlaying ? { t: 'play', ms } : { t: 'pause', ms });
  return {
    get ms() {
      return ms;
    },
    play() {
      isPlaying = true;
      show();
    },
    pause() {
      isPlaying = false;
      show();
    },
    seek(to) {
      ms = to;
      show();
    },
    setSpeed: (speed) => send({ t: 'speed', speed }),
    add: (events, isLast) => send({ t: 'events', json: JSON.stringify(events), isLast }),
    remove() {
      removeEventListener('message', listen);
      frame.remove();
    },
  };
}
