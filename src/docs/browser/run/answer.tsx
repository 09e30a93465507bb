/** Shows the answer to a run by its type: pictures, PDFs, pages, text. */
import { type ReactNode, useEffect, useState } from 'react';
import type { BqlProblem } from './bql-editor.ts';
import { Problems } from './bql-fields.tsx';
import { base } from '../shell/page-context.ts';
import { focusTokenBox } from './token.ts';

/** A finished answer. Bytes are shown with a type from our own list, never with the answer's own type. */
export interface Answer {
  status: number;
  type: string;
  milliseconds: number;
  bytes: ArrayBuffer;
  /** The errors in a BrowserQL answer of any status. */
  problems: readonly BqlProblem[];
}

const shownTypes = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf'] as const;

const isGood = ({ status, problems }: Answer): boolean => status < 400 && problems.length === 0;

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

export function AnswerBox({ answer }: { answer: Answer }): ReactNode {
  return (
    <>
      <p className={isGood(answer) ? 'run-status' : 'run-status bad'}>
        {answer.status} · {Math.round(answer.milliseconds)} ms · {answer.bytes.byteLength} bytes · {answer.type}
        {answer.status < 400 ? null : (
          <>
            {' '}
            <a href={`${base}/baas/troubleshooting/http-error-codes#${answer.status}`}>What this means</a>
            {answer.status === 401 ? (
              <>
                {' '}
                <button type="button" onClick={focusTokenBox}>
                  Enter the token
                </button>
              </>
            ) : null}
          </>
        )}
      </p>
      <Problems problems={answer.problems} />
      <Shown answer={answer} />
    </>
  );
}
