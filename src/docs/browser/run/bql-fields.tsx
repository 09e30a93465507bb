/** Renders the fields of a BrowserQL run: the document in an editor, its variables, the errors of its answer. */
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { BqlEditor, BqlProblem } from './bql-editor.ts';
import { lazy } from '../shell/page-context.ts';

interface GraphqlError {
  message?: unknown;
  locations?: { line?: number; column?: number }[];
  path?: (string | number)[];
}

/** The errors in an answer; empty when the answer is not a GraphQL answer. */
export function problemsOf(text: string): BqlProblem[] {
  let answer: { errors?: GraphqlError[] } | null;
  try {
    answer = JSON.parse(text);
  } catch {
    return [];
  }
  const errors = answer?.errors;
  if (!Array.isArray(errors)) return [];
  return errors.map(({ message, locations, path }) => ({
    message: String(message),
    line: locations?.[0]?.line,
    column: locations?.[0]?.column,
    path: path?.join('.') ?? '',
  }));
}

/**
 * The body of the request.
 * @throws Error when the variables are not a JSON object
 */
export function bqlPayload(query: string, variables: string): string {
  if (variables.trim() === '') return JSON.stringify({ query });
  let value: unknown;
  try {
    value = JSON.parse(variables);
  } catch (error) {
    throw new Error(`The variables are not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('The variables must be a JSON object, such as {"url": "https://example.com"}.');
  }
  return JSON.stringify({ query, variables: value });
}

export function Problems({ problems }: { problems: readonly BqlProblem[] }): ReactNode {
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

export interface BqlFieldsProps {
  text: string;
  onText: (text: string) => void;
  variables: string;
  onVariables: (text: string) => void;
  onRun: () => void;
  /** Called when the reader leaves the editor with Escape. */
  onLeave: () => void;
  /** Errors of the last run, to be marked in the document. */
  problems: readonly BqlProblem[];
}

const label = 'BrowserQL document. Ctrl+Enter runs it, Ctrl+Space completes, Escape or Tab leaves the editor.';

/** Shows a plain text area until the editor is loaded, and when the editor cannot be fetched. */
export function BqlFields(props: BqlFieldsProps): ReactNode {
  const { text, onText, variables, onVariables, problems } = props;
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const [editor, setEditor] = useState<BqlEditor>();
  const [failed, setFailed] = useState(false);
  // The editor is made once: it must call the callbacks of the latest rendering, not those of the first.
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    let made: BqlEditor | undefined;
    let gone = false;
    const make = async () => {
      const { createBqlEditor, loadSchema }: typeof import('./bql-editor.ts') = await lazy('bql-editor');
      const schema = await loadSchema();
      if (gone || host.current === null) return;
      const hadFocus = document.activeElement === plain.current;
      made = createBqlEditor({
        host: host.current,
        text: latest.current.text,
        schema,
        label,
        // flushSync: a Ctrl+Enter right after the last letter must run the text that the reader sees.
        onText: (changed) => flushSync(() => latest.current.onText(changed)),
        onRun: () => latest.current.onRun(),
        onLeave: () => latest.current.onLeave(),
      });
      setEditor(made);
      if (hadFocus) made.focus();
    };
    make().catch(() => setFailed(true));
    return () => {
      gone = true;
      made?.close();
    };
  }, []);
  useEffect(() => editor?.mark(problems), [editor, problems]);
  const runOnEnter = (event: { key: string; ctrlKey: boolean; metaKey: boolean }) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) props.onRun();
  };
  return (
    <>
      <div ref={host} className="bql-editor" />
      {editor !== undefined ? null : (
        <textarea
          ref={plain}
          aria-label={failed ? 'BrowserQL document' : 'BrowserQL document, the editor is loading'}
          value={text}
          spellCheck={false}
          rows={Math.min(20, text.split('\n').length + 1)}
          onChange={({ target }) => onText(target.value)}
          onKeyDown={runOnEnter}
        />
      )}
      <p className="run-hint">
        {failed ? (
          'The editor could not be loaded; this plain field works as well.'
        ) : (
          <>
            <kbd>Ctrl</kbd>+<kbd>Space</kbd> completes, <kbd>Ctrl</kbd>+<kbd>Enter</kbd> runs, <kbd>Esc</kbd> leaves the
            editor.
          </>
        )}
      </p>
      <label className="run-variables">
        Variables (JSON)
        <textarea
          value={variables}
          spellCheck={false}
          rows={Math.min(10, variables.split('\n').length + 1)}
          placeholder="{}"
          onChange={({ target }) => onVariables(target.value)}
          onKeyDown={runOnEnter}
        />
      </label>
    </>
  );
}
