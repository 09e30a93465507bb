/** Shows a panel below a sample that sends the sample to this server and displays the answer by its type. */
import { Component, type ReactNode, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { RunnableRequest } from '../../components/runnable.ts';
import type { BqlProblem } from './bql-editor.ts';
import { type Answer, AnswerBox } from './answer.tsx';
import { BqlFields, bqlPayload, problemsOf } from './bql-fields.tsx';
import { copyText } from './copy.ts';
import { useLiveStage } from './live-stage.tsx';
import { keys, recall, remember } from '../shell/store.ts';
import { messageOf } from '../shell/page-parts.ts';
import { base, origin } from '../shell/page-context.ts';
import { currentToken } from './token.ts';

type State =
  | { name: 'editing' }
  | { name: 'running'; since: number }
  | { name: 'answered'; answer: Answer }
  | { name: 'failed'; message: string };

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

async function send(request: RunnableRequest, body: string, signal: AbortSignal): Promise<Answer> {
  const token = currentToken();
  const began = performance.now();
  const response = await fetch(base + request.path, {
    method: request.method,
    signal,
    headers: { ...request.headers, ...(token === '' ? {} : { Authorization: `Bearer ${token}` }) },
    ...(request.method === 'GET' ? {} : { body }),
  });
  const bytes = await response.arrayBuffer();
  const type = response.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
  const problems = request.query === undefined ? noProblems : problemsOf(new TextDecoder().decode(bytes));
  return { status: response.status, type, milliseconds: performance.now() - began, bytes, problems };
}

function curlOf(request: RunnableRequest, body: string): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl ${quote(origin + request.path)}`,
    ...Object.entries(request.headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(currentToken() === '' ? [] : [`-H ${quote(`Authorization: Bearer ${currentToken()}`)}`]),
    ...(request.method === 'GET' ? [] : [`-d ${quote(body)}`]),
  ].join(' \\\n  ');
}

function Elapsed({ since }: { since: number }): ReactNode {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  return <span>{((now - since) / 1_000).toFixed(1)} s</span>;
}

function RunPanel({ request, onClose }: { request: RunnableRequest; onClose: () => void }): ReactNode {
  const [body, setBody] = useState(() => bodyOf(request));
  const [variables, setVariables] = useState(request.variables ?? '');
  const [state, setState] = useState<State>({ name: 'editing' });
  const running = useRef<AbortController>(undefined);
  const runButton = useRef<HTMLButtonElement>(null);
  const [watches, setWatches] = useState(() => request.query !== undefined && recall(keys.browserView) !== 'off');
  const stage = useLiveStage();
  useEffect(() => () => running.current?.abort(), []);
  const payload = () => (request.query === undefined ? body : bqlPayload(body, variables));
  const copy = async () => {
    try {
      await copyText(curlOf(request, payload()));
    } catch (error) {
      setState({ name: 'failed', message: messageOf(error) });
    }
  };
  const run = async () => {
    running.current?.abort();
    stage.close();
    const controller = new AbortController();
    running.current = controller;
    setState({ name: 'running', since: performance.now() });
    try {
      const sent = payload();
      const watched = watches ? await stage.open(request.path, body, controller.signal) : undefined;
      const answer = await send({ ...request, path: watched ?? request.path }, sent, controller.signal);
      controller.signal.throwIfAborted();
      setState({ name: 'answered', answer });
      stage.finish();
    } catch (error) {
      if (running.current !== controller) return;
      stage.close();
      setState({ name: 'failed', message: controller.signal.aborted ? 'Cancelled.' : messageOf(error) });
    }
  };
  const watch = (on: boolean) => {
    setWatches(on);
    remember(keys.browserView, on ? '' : 'off');
  };
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- the panel opens with the first run under way
    if (request.query === undefined) void run();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- once: later runs are the reader's
  }, []);
  const isRunning = state.name === 'running';
  return (
    <section className="run" aria-label="Run this sample">
      <div className="run-head">
        <span className="method">{request.method}</span> <code>{request.path}</code>
        {request.query === undefined ? null : (
          <label className="run-switch">
            <input type="checkbox" checked={watches} onChange={({ target }) => watch(target.checked)} /> Show browser
          </label>
        )}
        <span className="run-tools">
          <button type="button" onClick={() => void copy()}>
            Copy as curl
          </button>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </span>
      </div>
      <div className={watches ? 'run-columns' : undefined}>
        <div>
          {request.query !== undefined ? (
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
          <p className="run-tools">
            <button ref={runButton} type="button" className="primary" onClick={() => void run()}>
              {state.name === 'editing' ? 'Run' : 'Run again'}
            </button>
            {isRunning ? (
              <>
                <button type="button" onClick={() => running.current?.abort()}>
                  Cancel
                </button>
                <Elapsed since={state.since} />
              </>
            ) : null}
          </p>
        </div>
        {watches ? stage.element : null}
      </div>
      <div role="status" aria-live="polite" className="run-answer">
        {state.name === 'failed' ? <p className="error-box">{state.message}</p> : null}
        {state.name === 'answered' ? <AnswerBox answer={state.answer} /> : null}
      </div>
    </section>
  );
}

/** Shows a red box in place of a panel that throws; the rest of the page keeps working. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };
  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }
  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="error-box" role="alert">
        <p>{messageOf(this.state.error)}</p>
        <button type="button" onClick={() => this.setState({ error: undefined })}>
          Retry
        </button>
      </div>
    );
  }
}

/** Toggles the panel of a sample. */
export function openRunPanel(figure: HTMLElement, button: HTMLElement): void {
  const next = figure.nextElementSibling;
  if (next?.classList.contains('run-host')) return void next.dispatchEvent(new CustomEvent('run:close'));
  const request: RunnableRequest = JSON.parse(button.dataset['run'] ?? '{}');
  const host = document.createElement('div');
  host.className = 'run-host';
  figure.after(host);
  const root = createRoot(host);
  const close = () => {
    root.unmount();
    host.remove();
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
