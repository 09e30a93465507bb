/** Finds the errors in BrowserQL responses and lists them. */
import type { ReactNode } from 'react';

/** An error in a BrowserQL response, with its position in the document if the server reports one. */
export interface BqlProblem {
  message: string;
  /** 1-based. */
  line: number | undefined;
  /** 1-based. */
  column: number | undefined;
  /** The operation, by its name in the document. */
  path: string;
}

interface GraphqlError {
  message?: unknown;
  locations?: { line?: number; column?: number }[];
  path?: (string | number)[];
}

/** Returns the errors in a response; empty when it is not a GraphQL response. */
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
