/** Shows the browser of a document or of code while it runs, and its last frame afterward. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { lazy } from '../shell/page-context.ts';
import type { Draft } from './draft.ts';
import { type ConsoleLine, startWatched, type WatchedBrowser } from './watched-browser.ts';

/** How long the browser is kept after its run has finished, so that the last frame can arrive, in ms. */
const settleMs = 700;
/**
 * How long the browser is kept if there has been no frame yet, because the live view page may still be loading, in ms.
 */
const firstFrameMs = 4_000;

const texts = {
  idle: 'The browser appears here while it runs.',
  starting: 'Starting a browser.',
  noPage: 'This document does not open a page, so there is nothing to show.',
  noBrowser: 'Nothing to show: the server did not provide a browser to watch. See the response for the reason.',
  noView: 'Nothing to show: the server did not provide a live view of the browser.',
  ended: 'The browser has closed.',
  noPicture: 'Nothing to show: the live view received no frames.',
} as const;

interface StageState {
  text: string;
  /** URL of the live view; undefined while no browser is running. */
  view: string | undefined;
  /** Whether the live view shows a frame. */
  isLive: boolean;
  /** Whether the last frame of an earlier browser is shown. */
  hasStill: boolean;
}

interface Watching {
  signal: AbortSignal;
  /** Called with each line that code writes to the console. */
  onLine: (line: ConsoleLine) => void;
}

async function opensPage({ kind, text }: Draft): Promise<boolean> {
  if (kind === 'code') return true;
  try {
    const editor: typeof import('../editor/bql-editor.ts') = await lazy('bql-editor');
    return await editor.opensPage(text);
  } catch {
    // Without the schema it is unknown whether the document opens a page: run it unwatched.
    return false;
  }
}

/** Copies the current frame of the live view; returns false when there is none. */
function copyFrame(frame: HTMLIFrameElement | null, still: HTMLCanvasElement | null): boolean {
  const live = frame?.contentDocument?.querySelector('canvas');
  if (!live || still === null || live.width === 0 || live.height === 0) return false;
  still.width = live.width;
  still.height = live.height;
  still.getContext('2d')?.drawImage(live, 0, 0);
  return true;
}

export function useStage() {
  const [shown, setShown] = useState<StageState>({ text: texts.idle, view: undefined, isLive: false, hasStill: false });
  const frame = useRef<HTMLIFrameElement>(null);
  const still = useRef<HTMLCanvasElement>(null);
  const browser = useRef<WatchedBrowser>(undefined);
  const ending = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isLive = useRef(false);

  const showText = (text: string, hasStill = false) => setShown({ text, view: undefined, isLive: false, hasStill });
  const release = () => {
    clearTimeout(ending.current);
    ending.current = undefined;
    browser.current?.close();
    browser.current = undefined;
  };
  /** Closes the browser now. The last frame stays visible. */
  const close = () => {
    if (browser.current === undefined) return;
    const hasStill = isLive.current && copyFrame(frame.current, still.current);
    const { view } = browser.current;
    release();
    isLive.current = false;
    showText(hasStill ? texts.ended : view === undefined ? texts.noView : texts.noPicture, hasStill);
  };
  /** Closes the browser once its last frame has arrived. */
  const finish = () => {
    if (browser.current === undefined) return;
    if (browser.current.view === undefined) return close();
    clearTimeout(ending.current);
    ending.current = setTimeout(close, isLive.current ? settleMs : firstFrameMs);
  };
  /**
   * Starts a browser for a document or for code, and shows it. Close the previous browser first.
   * @param path path of the request, with its query
   * @returns the path to send the request to; undefined if it cannot be watched, and the stage then explains why
   * @throws the abort reason of the signal
   */
  const open = async (path: string, draft: Draft, { signal, onLine }: Watching): Promise<string | undefined> => {
    const watchable = await opensPage(draft);
    signal.throwIfAborted();
    if (!watchable) return void showText(texts.noPage);
    setShown((before) => ({ ...before, text: texts.starting }));
    let started: WatchedBrowser;
    try {
      started = await startWatched(path, signal, onLine);
    } catch {
      if (signal.aborted) setShown((before) => ({ ...before, text: texts.idle }));
      signal.throwIfAborted();
      return void showText(texts.noBrowser);
    }
    if (signal.aborted) started.close();
    signal.throwIfAborted();
    browser.current = started;
    if (started.view === undefined) showText(texts.noView);
    else setShown((before) => ({ ...before, view: started.view, isLive: false }));
    return started.path;
  };

  /** Closes the browser now, and shows nothing of it. */
  const reset = () => {
    release();
    isLive.current = false;
    showText(texts.idle);
  };

  const latest = useRef({ finish, release });
  useLayoutEffect(() => {
    latest.current = { finish, release };
  });
  useEffect(() => {
    const hear = ({ source, origin, data }: MessageEvent) => {
      if (frame.current === null || source !== frame.current.contentWindow || origin !== location.origin) return;
      if (data?.type !== 'browserd.live' || data.state !== 'live') return;
      isLive.current = true;
      setShown((before) => ({ ...before, isLive: true }));
      // The run may have finished before its first frame: wait briefly for the last one.
      if (ending.current !== undefined) latest.current.finish();
    };
    addEventListener('message', hear);
    return () => {
      removeEventListener('message', hear);
      latest.current.release();
    };
  }, []);

  const element = (
    <figure className="run-stage">
      <div role="status" className={shown.hasStill ? 'below' : undefined}>
        {/* New text gets a new element: an element that changes its size while centered would jump. */}
        {shown.isLive ? null : <p key={shown.text}>{shown.text}</p>}
      </div>
      <canvas
        ref={still}
        role="img"
        aria-label="The last frame of the browser"
        hidden={!shown.hasStill || shown.isLive}
      />
      {shown.view === undefined ? null : (
        // oxlint-disable-next-line react/iframe-missing-sandbox -- a page of this server, whose script calls the server
        <iframe
          key={shown.view}
          ref={frame}
          title="The browser, live"
          src={shown.view}
          allow="fullscreen"
          className={shown.isLive ? undefined : 'waiting'}
        />
      )}
    </figure>
  );
  return { element, open, finish, close, reset };
}
