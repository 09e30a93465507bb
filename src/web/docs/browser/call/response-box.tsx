/** Shows the response to a run as an image, a PDF, a page, JSON or text, below its status, time, type and size. */
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { base } from '../shell/page-context.ts';
import type { ApiResponse } from './api-call.ts';
import { JsonTree } from './json-tree.tsx';
import { mediaInText, typeOfBytes } from './media.ts';
import { Problems } from './problems.tsx';
import { ForeignPage, MediaView, useBlobUrl } from './shown-media.tsx';
import { TokenForm } from './token-form.tsx';
import { formatBytes, formatDuration } from './words.ts';

/** Maximum length of text that is shown as a tree, in characters. */
const maxCharacters = 2_000_000;
/** Length at which shown text is cut, in characters. */
const cutCharacters = 100_000;

const isText = (type: string): boolean => /^text\/|^application\/(.*\+)?(json|javascript|graphql)$|[/+]xml$/.test(type);
const isGood = ({ status, problems }: ApiResponse): boolean => status < 400 && problems.length === 0;

export type RunState =
  | { name: 'ready' }
  | { name: 'running'; since: number }
  | { name: 'answered'; answer: ApiResponse }
  | { name: 'failed'; message: string };

export interface ResponseBoxProps {
  state: RunState;
  /** Called with the token that this server asked for: saves it and runs again. */
  onToken: (token: string) => void;
}

/** Shows the state of a run and its response. */
export function ResponseBox({ state, onToken }: ResponseBoxProps): ReactNode {
  return (
    <div role="status" aria-live="polite" className={state.name === 'ready' ? 'run-answer empty' : 'run-answer'}>
      {state.name === 'running' ? <Running since={state.since} /> : null}
      {state.name === 'failed' ? <p className="error-box">{state.message}</p> : null}
      {state.name === 'answered' ? <Answered answer={state.answer} onToken={onToken} /> : null}
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

function Answered({ answer, onToken }: { answer: ApiResponse; onToken: ResponseBoxProps['onToken'] }): ReactNode {
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
      {status === 401 ? <TokenForm refused={hadToken} onToken={onToken} /> : null}
      <Problems problems={problems} />
      <Body type={type} bytes={bytes} />
    </>
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
  const json = useMemo(() => (type.endsWith('json') ? parsed(text) : undefined), [type, text]);
  if (media !== undefined) {
    return (
      <div className="run-media">
        <MediaView media={media} label="Server response" />
      </div>
    );
  }
  if (json !== undefined) return <JsonTree value={json.value} />;
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
  return bytes.length === 0 ? (
    <p className="run-note">The response is empty.</p>
  ) : (
    <p className="run-note">{`${type || 'This response'} cannot be shown here. Use Download to save it.`}</p>
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

function parsed(text: string): { value: unknown } | undefined {
  if (text.length > maxCharacters) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
