/** Runs a draft: one run at a time, showing the browser while it runs. */
import { useEffect, useRef, useState } from 'react';
import type { Draft } from './draft.ts';
import { callOf, failureOf, send, type Target } from './request.ts';
import type { RunState } from './response.tsx';
import { useStage } from './stage.tsx';
import type { ConsoleLine } from './watched-browser.ts';

/** Number of console lines that are shown. */
const maxLines = 200;

/** @param isRunning true if a run starts immediately: its button is Stop from the first paint */
export function useRun(isRunning: boolean) {
  const [state, setState] = useState<RunState>(() =>
    isRunning ? { name: 'running', since: performance.now() } : { name: 'ready' },
  );
  const [lines, setLines] = useState<readonly ConsoleLine[]>([]);
  const stage = useStage();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  /**
   * @param watches whether to show the browser of a document or of code
   * @returns false if another run has replaced this one
   */
  const start = async (draft: Draft, target: Target, watches: boolean) => {
    running.current?.abort();
    stage.close();
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setLines([]);
    setState({ name: 'running', since: performance.now() });
    const onLine = (line: ConsoleLine) => {
      if (!signal.aborted) setLines((before) => [...before, line].slice(0, maxLines));
    };
    try {
      // Report invalid text before a browser starts.
      const call = callOf(draft, target);
      const watched = watches ? await stage.open(call.path, draft, { signal, onLine }) : undefined;
      const answer = await send({ ...call, path: watched ?? call.path }, signal);
      signal.throwIfAborted();
      setState({ name: 'answered', answer });
      stage.finish();
    } catch (error) {
      if (running.current !== controller) return false;
      stage.close();
      setState({ name: 'failed', message: failureOf(error, signal) });
    }
    return running.current === controller;
  };
  return {
    state,
    stage,
    /** What the code of this run has written to its console. */
    lines,
    start,
    stop: () => running.current?.abort(),
    /** Stops the run and shows nothing of it. */
    reset: () => {
      running.current?.abort();
      running.current = undefined;
      stage.reset();
      setLines([]);
      setState({ name: 'ready' });
    },
    /** Shows a failure from before the run started. */
    fail: (error: unknown) => setState({ name: 'failed', message: failureOf(error) }),
  };
}
