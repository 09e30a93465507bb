/** The request editor: the fields of a request, its buttons and its response, which each form arranges. */
import { type ReactNode, useRef, useState } from 'react';
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
import { type Run, useRun } from './use-run.ts';

const noMistakes: readonly EditorError[] = [];

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

interface EditorParts {
  run: Run;
  start: () => Promise<void>;
  fields: ReactNode;
  copyAs: ReactNode;
  runButton: ReactNode;
  response: ReactNode;
}

export function useEditor(options: EditorOptions): EditorParts {
  const { draft, onDraft, target, answers = '', watches, runsFirst = false, onRun } = options;
  const run = useRun(runsFirst);
  const { state } = run;
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
    fields: (
      <TextFields
        key={draft.kind}
        draft={draft}
        onDraft={onDraft}
        onRun={() => void start()}
        onLeave={() => button.current?.focus()}
        mistakes={state.name === 'answered' ? state.answer.mistakes : noMistakes}
      />
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

interface TextFieldsProps {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  onRun: () => void;
  /** Called when the reader leaves the editor with Escape. */
  onLeave: () => void;
  mistakes: readonly EditorError[];
}

const editors = {
  rest: { script: 'json-editor', name: 'Body as JSON', more: undefined },
  bql: { script: 'bql-editor', name: 'BrowserQL document', more: 'Variables (JSON)' },
  code: { script: 'code-editor', name: 'Code', more: 'Context (JSON)' },
} as const;

/** The text of a request in an editor; below it the variables of a document, or the context of code. */
function TextFields({ draft, onDraft, onRun, onLeave, mistakes }: TextFieldsProps): ReactNode {
  const { text, variables } = draft;
  const { script, name, more } = editors[draft.kind];
  return (
    <>
      <EditorField
        {...{ script, name, text, onRun, onLeave, mistakes }}
        onText={(changed) => onDraft({ ...draft, text: changed })}
      />
      {more === undefined ? null : (
        <label className="run-variables">
          {more}
          <PlainField
            text={variables}
            placeholder="{}"
            onText={(changed) => onDraft({ ...draft, variables: changed })}
            onRun={onRun}
          />
        </label>
      )}
    </>
  );
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
