/** Builds connection URLs from fields, with a code snippet. The build renders it; the browser hydrates it on view. */
import { type ReactNode, useId, useState } from 'react';
import { demoSiteUrl } from '../samples/target.ts';
import { sampleOrigin } from '../site/site.ts';

/** A connection option: a library, a path, a protocol. */
export interface Connection {
  id: string;
  label: string;
  path: string;
  socket: boolean;
  library: 'puppeteer' | 'playwright' | 'curl';
}

export interface UrlBuilderProps {
  connections: readonly Connection[];
  origin: string;
  token: string;
  copy?: (text: string) => void;
}

/** A package's name in quotes: written out, the imports in the snippets would look like imports of this file. */
export const quoted = (name: string): string => `'${name}'`;

function snippetOf({ library, path }: Connection, url: string): string {
  if (library === 'puppeteer') {
    return `import puppeteer from ${quoted('puppeteer-core')};\n\nconst browser = await puppeteer.connect({ browserWSEndpoint: '${url}' });`;
  }
  if (library === 'playwright') {
    const native = path.endsWith('/playwright');
    const engine = /^\/(firefox|webkit)/.exec(path)?.[1] ?? 'chromium';
    const call = native ? `${engine}.connect('${url}')` : `chromium.connectOverCDP('${url}')`;
    return `import { ${engine} } from ${quoted('playwright-core')};\n\nconst browser = await ${call};`;
  }
  return `curl --fail-with-body '${url}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"url":"${demoSiteUrl}"}'`;
}

export function UrlBuilderFields({ connections, origin, token, copy }: UrlBuilderProps): ReactNode {
  const id = useId();
  const [chosen, setChosen] = useState(connections[0]?.id ?? '');
  const [timeout, setTimeoutMs] = useState('');
  const [launch, setLaunch] = useState('');
  const connection = connections.find((each) => each.id === chosen) ?? connections[0];
  if (connection === undefined) return null;
  const problem = launchProblem(launch);
  const query = new URLSearchParams();
  if (token !== '') query.set('token', token);
  if (timeout !== '') query.set('timeout', timeout);
  if (launch.trim() !== '' && problem === undefined) query.set('launch', launch.trim());
  const url = `${connection.socket ? origin.replace(/^http/, 'ws') : origin}${connection.path}${query.size === 0 ? '' : `?${query}`}`;
  const snippet = snippetOf(connection, url);
  return (
    <div className="builder">
      <p>
        <label htmlFor={`${id}-service`}>Connect with</label>
        <select id={`${id}-service`} value={chosen} onChange={valueOf(setChosen)}>
          {connections.map((each) => (
            <option key={each.id} value={each.id}>
              {each.label}
            </option>
          ))}
        </select>
      </p>
      <p>
        <label htmlFor={`${id}-timeout`}>Timeout (ms)</label>
        <input
          id={`${id}-timeout`}
          inputMode="numeric"
          value={timeout}
          onChange={valueOf((text) => setTimeoutMs(text.replace(/\D/g, '')))}
        />
      </p>
      <p>
        <label htmlFor={`${id}-launch`}>Launch options (JSON)</label>
        <input
          id={`${id}-launch`}
          value={launch}
          placeholder='{"headless":true}'
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-problem`}
          onChange={valueOf(setLaunch)}
        />
        <span id={`${id}-problem`} role="status" className="problem">
          {problem}
        </span>
      </p>
      <p className="builder-url">
        <code>{url}</code>
        <button type="button" onClick={() => copy?.(url)}>
          Copy URL
        </button>
      </p>
      <pre tabIndex={0}>
        <code>{snippet}</code>
      </pre>
      <p>
        <button type="button" onClick={() => copy?.(snippet)}>
          Copy snippet
        </button>
      </p>
    </div>
  );
}

/** Reads an input's value without DOM types, which the TypeScript project of this file does not include. */
function valueOf(set: (text: string) => void): (event: { target: object }) => void {
  return ({ target }) => {
    if ('value' in target && typeof target.value === 'string') set(target.value);
  };
}

function launchProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'Enter a JSON object.';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Values until the page knows its server: the sample origin, and no token. */
export const builderDefaults = { origin: sampleOrigin, token: '' };
