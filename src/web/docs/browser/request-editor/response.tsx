/** Shows the response to a run as an image, a PDF, a page, JSON or text, below its status, time, type and size. */
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { parseJson } from '../../site/json.ts';
import { saveToken } from '../run/token.ts';
import { base } from '../shell/page-context.ts';
import { JsonTree } from './json-tree.tsx';
import { ForeignPage, formatBytes, mediaInText, MediaView, typeOfBytes, useBlobUrl } from './media.tsx';
import type { ApiResponse, Problem } from './request.ts';

/** Maximum length of text that is shown as a tree, in characters. */
const maxCharacters = 2_000_000;
/** Length at which shown text is cut, in characters. */
const cutCharacters = 100_000;

const isText = (type: string): boolean => /^text\/|^application\/(.*\+)?(json|javascript|graphql)$|[/+]xml$/.test(type);
const isGood = ({ status, problems }: ApiResponse): boolean => status < 400 && problems.length === 0;
const formatDuration = (milliseconds: number): string =>
  milliseconds < 10_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;

export type RunState =
  | { name: 'ready' }
  | { name: 'running'; since: number }
  | { name: 'answered'; answer: ApiResponse }
  | { name: 'failed'; message: string };

/** Shows the state of a run and its response. `onRun` runs again with the token that this server asked for. */
export function ResponseView({ state, onRun }: { state: RunState; onRun: () => void }): ReactNode {
  return (
    <div role="status" aria-live="polite" className={state.name === 'ready' ? 'run-answer empty' : 'run-answer'}>
      {state.name === 'running' ? <Running since={state.since} /> : null}
      {state.name === 'failed' ? <p className="error-box">{state.message}</p> : null}
      {state.name === 'answered' ? <Answered answer={state.answer} onRun={onRun} /> : null}
    </div>
  );
}

function Running({ since }: { since: number }): ReactNode {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="run-waiting">
      <div className="run-bar" />
      <span>Running</span> <span aria-hidden="true">{`${((now - since) / 1_000).toFixed(1)} s`}</span>
    </div>
  );
}

function Answered({ answer, onRun }: { answer: ApiResponse; onRun: () => void }): ReactNode {
  const { status, milliseconds, type, bytes, problems, hadToken } = answer;
  return (
    <>
      <div className="run-head-line">
        <p className={isGood(answer) ? 'run-status' : 'run-status bad'}>
          <strong>{status}</strong>
          <span>{` · ${formatDuration(milliseconds)} · ${type || 'no type'} · ${formatBytes(bytes.length)} `}</span>
          {status < 400 ? null : (
            <a href={`${base}/baas/troubleshooting/http-error-codes#${status}`}>What this means</a>
          )}
        </p>
        {bytes.length === 0 ? null : <Download bytes={bytes} type={type} />}
      </div>
      {status === 401 ? <TokenForm refused={hadToken} onSaved={onRun} /> : null}
      <Problems problems={problems} />
      <Body type={type} bytes={bytes} />
    </>
  );
}

/** Asks for the token after a request was refused, and saves it. */
export function TokenForm({ refused, onSaved }: { refused: boolean; onSaved: () => void }): ReactNode {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      className="run-token"
      onSubmit={(event) => {
        event.preventDefault();
        saveToken(input.current?.value ?? '');
        onSaved();
      }}
    >
      <strong>{refused ? 'This server rejected the token' : 'This server requires a token'}</strong>
      <p>Save it once; every sample on every page uses it.</p>
      <label className="hidden" htmlFor={id}>
        API token
      </label>
      <input
        ref={input}
        id={id}
        type="password"
        placeholder="Token"
        autoComplete="off"
        spellCheck={false}
        required
        aria-invalid={refused}
      />{' '}
      <button type="submit" className="primary">
        Save and run
      </button>
    </form>
  );
}

/** Lists the errors of a BrowserQL response. */
function Problems({ problems }: { problems: readonly Problem[] }): ReactNode {
  if (problems.length === 0) return null;
  return (
    <ul className="error-box run-errors" aria-label="Errors">
      {problems.map(({ message, line, column, path }, index) => (
        <li key={index}>
          {line === undefined ? null : <strong>{`Line ${line}, column ${column ?? 1}: `}</strong>}
          {path === '' ? null : (
            <>
              <code>{path}</code>{' '}
            </>
          )}
          {message}
        </li>
      ))}
    </ul>
  );
}

/** Offers the bytes as a file download, so that this page does not open them. */
function Download({ bytes, type }: Pick<ApiResponse, 'bytes' | 'type'>): ReactNode {
  const url = useBlobUrl(bytes, 'application/octet-stream');
  const ending = /\/(?:.*\+)?([a-z]{2,5})$/.exec(type)?.[1]?.replace('plain', 'txt').replace('jpeg', 'jpg') ?? 'bin';
  return (
    <a className="run-download" href={url} download={`answer.${ending}`}>
      Download
    </a>
  );
}

function Body({ type, bytes }: Pick<ApiResponse, 'type' | 'bytes'>): ReactNode {
  const text = useMemo(() => (isText(type) ? new TextDecoder().decode(bytes) : ''), [type, bytes]);
  const media = useMemo(() => {
    const shown = typeOfBytes(bytes);
    return shown === undefined ? mediaInText(text) : { type: shown, bytes };
  }, [text, bytes]);
  const json = useMemo(() => {
    return type.endsWith('json') && text.length <= maxCharacters ? parseJson(text) : undefined;
  }, [type, text]);
  if (media !== undefined) {
    return (
      <div className="run-media">
        <MediaView media={media} label="Server response" />
      </div>
    );
  }
  if (json !== undefined) return <JsonTree value={json} />;
  if (type === 'text/html') {
    return (
      <>
        <ForeignPage bytes={bytes} />
        <details className="run-source">
          <summary>Source</summary>
          <Text text={text} />
        </details>
      </>
    );
  }
  if (isText(type)) return <Text text={text} />;
  return (
    <p className="run-note">
      {bytes.length === 0
        ? 'The response is empty.'
        : `${type || 'This response'} cannot be shown here. Use Download to save it.`}
    </p>
  );
}

function Text({ text }: { text: string }): ReactNode {
  return (
    <>
      <pre tabIndex={0}>{text.slice(0, cutCharacters)}</pre>
      {text.length <= cutCharacters ? null : <p className="run-note">Truncated. Use Download to save the full text.</p>}
    </>
  );
}
