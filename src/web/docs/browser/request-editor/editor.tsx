/** The request editor: the fields of a request, its buttons and its response, which each form arranges. */
import { Fragment, type ReactNode, useRef, useState } from 'react';
import { EditorField, PlainField } from '../editor/editor-field.tsx';
import type { EditorError } from '../editor/editor.ts';
import { copyText } from '../run/copy.ts';
import { currentToken } from '../run/token.ts';
import { origin } from '../shell/page-context.ts';
import type { Draft } from './draft.ts';
import { callOf, type Target } from './request.ts';
import { ResponseView } from './response.tsx';
import { Select } from './select.tsx';
import { type Language, languages, snippetOf } from '../../samples/snippets.ts';
import { useRun } from './use-run.ts';

const noMistakes: readonly EditorError[] = [];

const editors = {
  rest: { script: 'json-editor', name: 'Body as JSON', more: undefined },
  bql: { script: 'bql-editor', name: 'BrowserQL document', more: 'Variables (JSON)' },
  code: { script: 'code-editor', name: 'Code', more: 'Context (JSON)' },
} as const;

export interface EditorOptions {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  target: Target;
  /** The media type of the response, if it is known in advance. */
  answers?: string;
  /** Whether to show the browser while the request runs. */
  watches: boolean;
  /** True if the form runs the request when it opens. */
  runsFirst?: boolean;
  /** Called when a run starts, and with `true` when it ends. */
  onRun?: (ended: boolean) => void;
}

export function useEditor(options: EditorOptions) {
  const { draft, onDraft, target, answers = '', watches, runsFirst = false, onRun } = options;
  const run = useRun(runsFirst);
  const { state } = run;
  const { script, name, more } = editors[draft.kind];
  const button = useRef<HTMLButtonElement>(null);
  const isRunning = state.name === 'running';
  const start = async () => {
    onRun?.(false);
    if (await run.start(draft, target, watches)) onRun?.(true);
  };
  const copy = async (language: Language) => {
    try {
      await copyText(snippetOf(language, { call: callOf(draft, target), token: currentToken(), origin, answers }));
    } catch (error) {
      run.fail(error);
      onRun?.(true);
    }
  };
  return {
    run,
    start,
    // The text in an editor; below it the variables of a document, or the context of code.
    fields: (
      <Fragment key={draft.kind}>
        <EditorField
          {...{ script, name }}
          text={draft.text}
          onText={(text) => onDraft({ ...draft, text })}
          onRun={() => void start()}
          onLeave={() => button.current?.focus()}
          mistakes={state.name === 'answered' ? state.answer.mistakes : noMistakes}
        />
        {more === undefined ? null : (
          <label className="run-variables">
            {more}
            <PlainField
              text={draft.variables}
              placeholder="{}"
              onText={(variables) => onDraft({ ...draft, variables })}
              onRun={() => void start()}
            />
          </label>
        )}
      </Fragment>
    ),
    copyAs: <CopyAs onCopy={copy} />,
    // A single button, which keeps the focus when it changes.
    runButton: (
      <button
        ref={button}
        type="button"
        className={isRunning ? 'run-button' : 'run-button primary'}
        onClick={() => (isRunning ? run.stop() : void start())}
      >
        {isRunning ? 'Stop' : 'Run'}
      </button>
    ),
    response: <ResponseView state={state} onRun={() => void start()} />,
  };
}

const copiedMs = 1_500;

/** Copies the request as code in the language that the reader chooses. @param onCopy may throw an Error */
function CopyAs({ onCopy }: { onCopy: (language: Language) => Promise<void> }): ReactNode {
  const [language, setLanguage] = useState<Language>('curl');
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await onCopy(language);
    setCopied(true);
    setTimeout(() => setCopied(false), copiedMs);
  };
  return (
    <span className="copy-as">
      <button type="button" onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy as'}
      </button>
      <Select aria-label="Language to copy as" value={language} options={languages} onChoose={setLanguage} />
    </span>
  );
}
