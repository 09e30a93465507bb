/** Opens in place of a sample, immediately sends the sample to this server, and shows the response by its type. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { RunnableRequest } from '../../samples/runnable.ts';
import { ResponseBox, type RunState } from '../call/response-box.tsx';
import { type ApiCall, failureOf, send } from '../call/api-call.ts';
import styles from '../call/call.css';
import { CopyAs } from '../call/copy-as.tsx';
import type { BqlProblem } from '../call/problems.tsx';
import { type Language, snippetOf } from '../call/snippets.ts';
import { addStyles } from '../call/styles.ts';
import { base, origin } from '../shell/page-context.ts';
import { keys, recall, remember } from '../shell/store.ts';
import { BqlFields, bqlPayload } from './bql-fields.tsx';
import { Boundary } from './boundary.tsx';
import { copyText } from './copy.ts';
import { useLiveStage } from './live-stage.tsx';
import { RunButton } from './run-button.tsx';
import { currentToken, saveToken } from './token.ts';

const noProblems: readonly BqlProblem[] = [];

function bodyOf(request: RunnableRequest): string {
  if (request.query !== undefined) return request.query;
  if (request.body === undefined) return '';
  try {
    return JSON.stringify(JSON.parse(request.body), null, 2);
  } catch {
    return request.body;
  }
}

function RunPanel({ request, onClose }: { request: RunnableRequest; onClose: () => void }): ReactNode {
  const [body, setBody] = useState(() => bodyOf(request));
  const [variables, setVariables] = useState(request.variables ?? '');
  // The panel opens with a run: its button is Stop from the first paint.
  const [state, setState] = useState<RunState>(() => ({ name: 'running', since: performance.now() }));
  const running = useRef<AbortController>(undefined);
  const panel = useRef<HTMLElement>(null);
  const runButton = useRef<HTMLButtonElement>(null);
  const isBql = request.query !== undefined;
  const [watches, setWatches] = useState(() => isBql && recall(keys.browserView) !== 'off');
  const stage = useLiveStage();
  const isRunning = state.name === 'running';
  /** @throws Error when the variables are not a JSON object */
  const call = (path = request.path): ApiCall => ({
    method: request.method,
    path,
    headers: request.headers,
    ...(request.method === 'GET' ? {} : { body: isBql ? bqlPayload(body, variables) : body }),
  });
  const run = async () => {
    running.current?.abort();
    stage.close();
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setState({ name: 'running', since: performance.now() });
    try {
      // Report errors in the variables before a browser starts.
      call();
      const watched = watches ? await stage.open(request.path, body, signal) : undefined;
      const answer = await send(call(watched), { base, token: currentToken(), signal });
      signal.throwIfAborted();
      setState({ name: 'answered', answer });
      stage.finish();
    } catch (error) {
      if (running.current !== controller) return;
      stage.close();
      setState({ name: 'failed', message: failureOf(error, signal) });
    }
  };
  const copy = async (language: Language) => {
    try {
      await copyText(snippetOf(language, { call: call(), token: currentToken(), origin, answers: '' }));
    } catch (error) {
      setState({ name: 'failed', message: failureOf(error) });
    }
  };
  const watch = (on: boolean) => {
    setWatches(on);
    remember(keys.browserView, on ? '' : 'off');
  };
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: 'nearest' });
    // oxlint-disable-next-line react/set-state-in-effect -- the panel opens with the first run under way
    void run();
    return () => running.current?.abort();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- once: later runs are the reader's
  }, []);
  return (
    <section ref={panel} className="run" aria-label="Run this sample" tabIndex={-1}>
      <div className="run-head">
        <span className="method">{request.method}</span> <code>{request.path}</code>
        {isBql ? (
          <label className="run-switch">
            <input type="checkbox" checked={watches} onChange={({ target }) => watch(target.checked)} /> Show browser
          </label>
        ) : null}
        <span className="run-tools">
          <CopyAs onCopy={copy} />
          <button type="button" onClick={onClose}>
            Close
          </button>
          <RunButton ref={runButton} isRunning={isRunning} onRun={run} onStop={() => running.current?.abort()} />
        </span>
      </div>
      <div className={watches ? 'run-columns' : undefined}>
        <div>
          {isBql ? (
            <BqlFields
              text={body}
              onText={setBody}
              variables={variables}
              onVariables={setVariables}
              onRun={() => void run()}
              onLeave={() => runButton.current?.focus()}
              problems={state.name === 'answered' ? state.answer.problems : noProblems}
            />
          ) : request.method === 'GET' ? null : (
            <textarea
              aria-label="Request"
              value={body}
              spellCheck={false}
              rows={Math.min(20, body.split('\n').length + 1)}
              onChange={({ target }) => setBody(target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void run();
              }}
            />
          )}
        </div>
        {watches ? stage.element : null}
      </div>
      <ResponseBox
        state={state}
        onToken={(token) => {
          saveToken(token);
          void run();
        }}
      />
    </section>
  );
}

/** Opens the panel of a sample in its place, or closes it if it is open. */
export function openRunPanel(figure: HTMLElement, button: HTMLElement): void {
  const next = figure.nextElementSibling;
  if (next?.classList.contains('run-host')) return void next.dispatchEvent(new CustomEvent('run:close'));
  addStyles(styles);
  const request: RunnableRequest = JSON.parse(button.dataset['run'] ?? '{}');
  const host = document.createElement('div');
  host.className = 'run-host';
  figure.after(host);
  figure.hidden = true;
  const root = createRoot(host);
  const close = () => {
    root.unmount();
    host.remove();
    figure.hidden = false;
    document.removeEventListener('docs:leaving', close);
    if (button.isConnected) button.focus();
  };
  host.addEventListener('run:close', close);
  document.addEventListener('docs:leaving', close);
  root.render(
    <Boundary>
      <RunPanel request={request} onClose={close} />
    </Boundary>,
  );
}
