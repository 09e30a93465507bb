/** Finds the errors in BrowserQL answers and lists them. */
import type { ReactNode } from 'react';

/** An error of a BrowserQL answer, with its position in the document when the server names one. */
export interface BqlProblem {
  message: string;
  /** Counted from 1. */
  line: number | undefined;
  /** Counted from 1. */
  column: number | undefined;
  /** The operation, under the name that the document gives it. */
  path: string;
}

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
