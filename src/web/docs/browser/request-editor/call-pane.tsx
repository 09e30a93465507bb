/** Renders the request: its form or text, its variables, and its query options. */
import type { ReactNode } from 'react';
import { EditorField } from '../editor/editor-field.tsx';
import type { EditorError } from '../editor/editor.ts';
import { FieldRows, type Values } from './field-rows.tsx';
import type { FieldFact, Operation } from './operations.ts';
import type { RequestKind, Draft } from './shared-address.ts';

export type Part = 'form' | 'text' | 'variables' | 'options';

export const partsOf: Readonly<Record<RequestKind, readonly { id: Part; label: string }[]>> = {
  rest: [
    { id: 'form', label: 'Form' },
    { id: 'text', label: 'JSON' },
    { id: 'options', label: 'Options' },
  ],
  bql: [
    { id: 'text', label: 'Query' },
    { id: 'variables', label: 'Variables' },
    { id: 'options', label: 'Options' },
  ],
  code: [
    { id: 'text', label: 'Code' },
    { id: 'variables', label: 'Context' },
    { id: 'options', label: 'Options' },
  ],
};

const editors = {
  rest: { script: 'json-editor', name: 'Body as JSON' },
  bql: { script: 'bql-editor', name: 'BrowserQL document' },
  code: { script: 'code-editor', name: 'Code' },
} as const;

export interface CallPaneProps {
  part: Part;
  work: Draft;
  operation: Operation;
  onWork: (work: Draft) => void;
  onRun: () => void;
  onLeave: () => void;
  mistakes: readonly EditorError[];
}

const noMistakes: readonly EditorError[] = [];

export function CallPane({ part, work, operation, onWork, onRun, onLeave, mistakes }: CallPaneProps): ReactNode {
  const editor = { onRun, onLeave };
  if (part === 'options') return <Options work={work} operation={operation} onWork={onWork} />;
  if (operation.method === 'GET') return <p className="run-note">This request has no body.</p>;
  if (part === 'form') return <Form work={work} operation={operation} onWork={onWork} />;
  if (part === 'variables') {
    return (
      <EditorField
        {...editor}
        key="variables"
        script="json-editor"
        name={work.kind === 'code' ? 'Context as JSON' : 'Variables as JSON'}
        text={work.variables}
        onText={(variables) => onWork({ ...work, variables })}
        mistakes={noMistakes}
      />
    );
  }
  return (
    <EditorField
      {...editor}
      {...editors[work.kind]}
      key={work.kind}
      text={work.text}
      onText={(text) => onWork({ ...work, text })}
      mistakes={mistakes}
    />
  );
}

function valuesIn(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

type PartProps = Pick<CallPaneProps, 'work' | 'operation' | 'onWork'>;

function Form({ work, operation, onWork }: PartProps): ReactNode {
  const values = valuesIn(work.text);
  if (values === undefined) {
    return <p className="run-note">The body is not a JSON object. Fix it in the JSON tab to use the form.</p>;
  }
  return (
    <FieldRows
      fields={operation.body}
      values={values}
      noun="field"
      onValues={(changed) => onWork({ ...work, text: `${JSON.stringify(changed, null, 2)}\n` })}
    />
  );
}

/** Adapts a field for the query, where numbers and JSON are written as text. */
function inQuery(field: FieldFact): FieldFact {
  const first = typeof field.first === 'object' ? JSON.stringify(field.first) : String(field.first);
  const control = field.control === 'number' || field.control === 'json' ? 'text' : field.control;
  return { ...field, control, first };
}

function Options({ work, operation, onWork }: PartProps): ReactNode {
  if (operation.query.length === 0) return <p className="run-note">This request has no options.</p>;
  return (
    <FieldRows
      fields={operation.query.map(inQuery)}
      values={work.options}
      noun="option"
      onValues={(changed) => {
        const options = Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, String(value)]));
        onWork({ ...work, options });
      }}
    />
  );
}
