/** Shows a panel below a sample that sends the sample to this server and displays the answer by its type. */
import { Component, type ReactNode, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { RunnableRequest } from '../../components/runnable.ts';
import type { BqlProblem } from './bql-editor.ts';
import { BqlFields, bqlPayload, Problems, problemsOf } from './bql-fields.tsx';
import { copyText } from './copy.ts';
import { messageOf } from '../shell/page-parts.ts';
import { base, origin } from '../shell/page-context.ts';
import { currentToken } from './token.ts';

/** A finished answer. Bytes are shown with a type from our own list, never with the answer's own type. */
interface Answer {
  status: number;
  type: string;
  milliseconds: number;
  bytes: ArrayBuffer;
  /** The errors in a BrowserQL answer of any status. */
  problems: readonly BqlProblem[];
}

type State =
  | { name: 'editing' }
  | { name: 'running'; since: number }
  | { name: 'answered'; answer: Answer }
  | { name: 'failed'; message: string };

const noProblems: readonly BqlProblem[] = [];
const shownTypes = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf'] as const;

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

const isGood = ({ status, problems }: Answer): boolean => status < 400 && problems.length === 0;

function Elapsed({ since }: { since: number }): ReactNode {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  return <span>{((now - since) / 1_000).toFixed(1)} s</span>;
}

/** A blob URL for the bytes, revoked when they are no longer shown. */
function useBlobUrl(bytes: ArrayBuffer, type: string): string {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    // oxlint-disable-next-line react/set-state-in-effect -- an address is taken and given back like a subscription
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return url;
}

function Picture({ bytes, type }: { bytes: ArrayBuffer; type: (typeof shownTypes)[number] }): ReactNode {
  const url = useBlobUrl(bytes, type);
  if (url === '') return null;
  // oxlint-disable-next-line react/iframe-missing-sandbox -- Chromium's PDF viewer does not load in a sandbox
  if (type === 'application/pdf') return <iframe title="PDF" src={url} />;
  return <img src={url} alt="What the server answered" />;
}

/** Shows foreign HTML in a frame without scripts and without this origin; this page's policy applies there too. */
function Frame({ bytes }: { bytes: ArrayBuffer }): ReactNode {
  const url = useBlobUrl(bytes, 'text/html;charset=utf-8');
  return url === '' ? null : <iframe title="The answer as a page" sandbox="" src={url} />;
}

function Shown({ answer }: { answer: Answer }): ReactNode {
  const { type, bytes } = answer;
  const known = shownTypes.find((each) => each === type);
  if (known !== undefined) return <Picture bytes={bytes} type={known} />;
  if (!/^(text\/|application\/(json|.*\+json|javascript|xml))/.test(type)) {
    return <p>{`${bytes.byteLength} bytes of ${type || 'an unnamed type'}.`}</p>;
  }
  const text = new TextDecoder().decode(bytes);
  if (type === 'text/html') {
    return (
      <>
        <Frame bytes={bytes} />
        <details>
          <summary>Source</summary>
          <pre tabIndex={0}>{text}</pre>
        </details>
      </>
    );
  }
  return <pre tabIndex={0}>{type === 'application/json' ? pretty(text) : text}</pre>;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function RunPanel({ request, onClose }: { request: RunnableRequest; onClose: () => void }): ReactNode {
  const [body, setBody] = useState(() => bodyOf(request));
  const [variables, setVariables] = useState(request.variables ?? '');
  const [state, setState] = useState<State>({ name: 'editing' });
  const running = useRef<AbortController>(undefined);
  const runButton = useRef<HTMLButtonElement>(null);
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
    const controller = new AbortController();
    running.current = controller;
    setState({ name: 'running', since: performance.now() });
    try {
      const answer = await send(request, payload(), controller.signal);
      if (!controller.signal.aborted) setState({ name: 'answered', answer });
    } catch (error) {
      if (running.current !== controller) return;
      setState({ name: 'failed', message: controller.signal.aborted ? 'Cancelled.' : messageOf(error) });
    }
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
        <span className="run-tools">
          <button type="button" onClick={() => void copy()}>
            Copy as curl
          </button>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </span>
      </div>
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
      <div role="status" aria-live="polite" className="run-answer">
        {state.name === 'failed' ? <p className="error-box">{state.message}</p> : null}
        {state.name === 'answered' ? (
          <>
            <p className={isGood(state.answer) ? 'run-status' : 'run-status bad'}>
              {state.answer.status} · {Math.round(state.answer.milliseconds)} ms · {state.answer.bytes.byteLength} bytes
              · {state.answer.type}
              {state.answer.status < 400 ? null : (
                <>
                  {' '}
                  <a href={`${base}/baas/troubleshooting/http-error-codes#${state.answer.status}`}>What this means</a>
                </>
              )}
            </p>
            <Problems problems={state.answer.problems} />
            <Shown answer={state.answer} />
          </>
        ) : null}
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
