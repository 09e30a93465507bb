/** Runs the draft of the request editor: one run at a time, showing the browser or the code's page while it runs. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { RunState } from '../call/response-box.tsx';
import { failureOf, send } from '../call/api-call.ts';
import type { EditorError } from '../editor/editor.ts';
import { objectIn } from '../run/bql-fields.tsx';
import { type LiveStage, useLiveStage } from '../run/live-stage.tsx';
import { currentToken } from '../run/token.ts';
import { base } from '../shell/page-context.ts';
import { callOf } from './call-of.ts';
import { type CodeStage, useCodeStage } from '../run/code-stage.tsx';
import type { Operation } from './operations.ts';
import type { Draft } from './shared-address.ts';
import { CodeFailure, type ConsoleLine, watchCode } from './watched-code.ts';

export interface Run {
  state: RunState;
  live: LiveStage;
  code: CodeStage;
  lines: readonly ConsoleLine[];
  mistakes: readonly EditorError[];
  start: (work: Draft, operation: Operation) => Promise<void>;
  stop: () => void;
  /** Shows a failure from before the run started. */
  fail: (error: unknown) => void;
}

const none: readonly EditorError[] = [];

export function useRun(): Run {
  const [state, setState] = useState<RunState>({ name: 'ready' });
  const [lines, setLines] = useState<readonly ConsoleLine[]>([]);
  const [mistakes, setMistakes] = useState(none);
  const live = useLiveStage();
  const code = useCodeStage();
  const running: RefObject<AbortController | undefined> = useRef(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const answerOf = async (work: Draft, operation: Operation, signal: AbortSignal) => {
    const call = callOf(work, operation);
    const sending = { base, token: currentToken(), signal };
    if (work.kind === 'bql') {
      const watched = await live.open(call.path, work.text, signal);
      return send(watched === undefined ? call : { ...call, path: watched }, sending);
    }
    if (work.kind === 'rest') return send(call, sending);
    code.start();
    return watchCode(call, work.text, objectIn(work.variables, 'context'), {
      ...sending,
      onFrame: (jpeg) => running.current?.signal === signal && code.show(jpeg),
      onLine: (line) => running.current?.signal === signal && setLines((before) => [...before, line]),
    });
  };
  const start = async (work: Draft, operation: Operation) => {
    running.current?.abort();
    live.close();
    const controller = new AbortController();
    running.current = controller;
    setLines([]);
    setMistakes(none);
    setState({ name: 'running', since: performance.now() });
    try {
      const answer = await answerOf(work, operation, controller.signal);
      controller.signal.throwIfAborted();
      setMistakes(answer.problems);
      setState({ name: 'answered', answer });
      live.finish();
    } catch (error) {
      if (running.current !== controller) return;
      live.close();
      if (error instanceof CodeFailure) setMistakes([error.mistake]);
      setState({ name: 'failed', message: failureOf(error, controller.signal) });
    }
    if (work.kind === 'code' && running.current === controller) code.end();
  };
  return {
    state,
    live,
    code,
    lines,
    mistakes,
    start,
    stop: () => running.current?.abort(),
    fail: (error) => setState({ name: 'failed', message: failureOf(error) }),
  };
}
