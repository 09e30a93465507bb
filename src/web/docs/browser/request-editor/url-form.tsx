/** Builds the URL of a connection from a path and options, with a snippet that uses it. */
import { type ReactNode, useEffect, useState } from 'react';
import { sampleToken } from '../../site/site.ts';
import { connectionSamples } from '../../samples/connections.ts';
import { copyText } from '../run/copy.ts';
import { currentToken, needsToken, tokenEvent } from '../run/token.ts';
import { origin, socketOrigin } from '../shell/page-context.ts';
import type { Draft } from './draft.ts';
import { OptionRows } from './fields.tsx';
import type { Operation } from './operations.ts';
import { callOf, pathWith } from './request.ts';
import { draftOf } from './samples.ts';
import { Select } from './select.tsx';
import { snippetOf } from '../../samples/snippets.ts';

/** The token of the URL: the reader's, or a placeholder where the server requires one. */
const shownToken = (): string => currentToken() || (needsToken() ? sampleToken : '');

function useToken(): string {
  const [token, setToken] = useState(shownToken);
  useEffect(() => {
    const update = () => setToken(shownToken());
    addEventListener(tokenEvent, update);
    return () => removeEventListener(tokenEvent, update);
  }, []);
  return token;
}

function labelOf({ kind, path, summary }: Operation): string {
  const libraries = kind === 'rest' ? ['REST'] : connectionSamples(path, '').map(({ label }) => label);
  return `${libraries.join(', ')}: ${path} (${summary})`;
}

export function UrlForm({ operations }: { operations: readonly Operation[] }): ReactNode {
  const offered = operations.filter(({ kind, method }) => kind === 'socket' || (kind === 'rest' && method === 'POST'));
  const [chosen, setChosen] = useState('');
  const [options, setOptions] = useState<Draft['options']>({});
  const token = useToken();
  const operation = offered.find((each) => each.path === chosen) ?? offered[0];
  if (operation === undefined) return null;
  const path = pathWith(operation.path, operation.query, options);
  const sent = token === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ token })}`;
  const isSocket = operation.kind === 'socket';
  const url = `${isSocket ? socketOrigin : origin}${sent}`;
  const call = { ...callOf(draftOf(operation), operation), path: sent };
  const snippet = isSocket
    ? connectionSamples(operation.path, url)[0].code
    : snippetOf('curl', { call, token: '', origin, answers: operation.answers });
  return (
    <div className="builder">
      <Select
        label="Connect with"
        value={operation.path}
        options={Object.fromEntries(offered.map((each) => [each.path, labelOf(each)]))}
        onChoose={setChosen}
      />
      <OptionRows query={operation.query} options={options} onOptions={setOptions} />
      <p className="builder-url">
        <code>{url}</code>
        <button type="button" onClick={() => void copyText(url)}>
          Copy URL
        </button>
      </p>
      <pre tabIndex={0}>
        <code>{snippet}</code>
      </pre>
      <p>
        <button type="button" onClick={() => void copyText(snippet)}>
          Copy snippet
        </button>
      </p>
    </div>
  );
}
