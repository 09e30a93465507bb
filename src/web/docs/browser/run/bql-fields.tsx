/** Renders the fields of a BrowserQL run: the document in an editor, and its variables. */
import type { ReactNode } from 'react';
import { messageOf } from '../shell/page-parts.ts';
import { EditorField } from '../editor/editor-field.tsx';
import type { EditorError } from '../editor/editor.ts';

/**
 * Parses a JSON object; returns undefined for empty text.
 * @param what name of the object in error messages
 * @throws Error when the text is not a JSON object
 */
export function objectIn(text: string, what: string): object | undefined {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON in the ${what}: ${messageOf(error)}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`The ${what} must be a JSON object, such as {"url": "https://example.com"}.`);
  }
  return value;
}

/**
 * Returns the request body.
 * @throws Error when the variables are not a JSON object
 */
export function bqlPayload(query: string, text: string): string {
  const variables = objectIn(text, 'variables');
  return JSON.stringify({ query, ...(variables === undefined ? {} : { variables }) });
}

export interface BqlFieldsProps {
  text: string;
  onText: (text: string) => void;
  variables: string;
  onVariables: (text: string) => void;
  onRun: () => void;
  /** Called when the reader leaves the editor with Escape. */
  onLeave: () => void;
  /** Errors of the last run, to mark in the document. */
  problems: readonly EditorError[];
}

export function BqlFields(props: BqlFieldsProps): ReactNode {
  const { variables, onVariables, onRun, problems } = props;
  return (
    <>
      <EditorField {...props} script="bql-editor" name="BrowserQL document" mistakes={problems} />
      <label className="run-variables">
        Variables (JSON)
        <textarea
          value={variables}
          spellCheck={false}
          rows={Math.min(10, variables.split('\n').length + 1)}
          placeholder="{}"
          onChange={({ target }) => onVariables(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun();
          }}
        />
      </label>
    </>
  );
}
