/** Renders a code block with a title, a Copy button and, where a browser can send the sample, a Run button. */
import type { ReactNode } from 'react';
import { sampleOrigin, sampleSocketOrigin, sampleToken } from '../site/site.ts';
import { runnableRequest } from './runnable.ts';
import type { CodeToken } from '../site/model.ts';
import { useSource } from './facts.tsx';

/** Attributes after the language of a code fence. */
export interface FenceMeta {
  title: string;
  id: string;
  mode: string;
  reason: string;
  marked: ReadonlySet<number>;
  noRun: boolean;
  path: string;
  variables: string;
  expect: string;
}

export function parseMeta(text: string): FenceMeta {
  const attribute = (name: string) => {
    const [, double, single] = new RegExp(`\\b${name}=(?:"([^"]*)"|'([^']*)')`).exec(text) ?? [];
    return double ?? single ?? '';
  };
  const marked = new Set<number>();
  for (const range of /\{([\d,\s-]+)\}/.exec(text)?.[1]?.split(',') ?? []) {
    const [from = 0, to = from] = range.split('-').map(Number);
    for (let line = from; line <= to; line++) marked.add(line);
  }
  return {
    title: attribute('title'),
    id: attribute('id'),
    mode: attribute('mode'),
    reason: attribute('reason'),
    marked,
    noRun: /\bnorun\b/.test(text),
    path: attribute('path'),
    variables: attribute('variables'),
    expect: attribute('expect'),
  };
}

const substituted = new RegExp(`(${sampleOrigin}|${sampleSocketOrigin}|${sampleToken})`);
const kinds: Readonly<Record<string, string>> = {
  [sampleOrigin]: 'origin',
  [sampleSocketOrigin]: 'socket',
  [sampleToken]: 'token',
};

/** Marks origins and tokens in a text, so that the browser can replace them with the reader's own. */
export function Substituted({ text }: { text: string }): ReactNode {
  const parts = text.split(substituted);
  if (parts.length === 1) return text;
  return parts.map((part, index) =>
    kinds[part] === undefined ? (
      part
    ) : (
      <span key={index} data-sub={kinds[part]}>
        {part}
      </span>
    ),
  );
}

type Links = Readonly<Record<string, string>>;

function Token({ token, links }: { token: CodeToken; links: Links | undefined }): ReactNode {
  const inner = links === undefined ? <Substituted text={token.text} /> : <Linked text={token.text} links={links} />;
  return token.kind === '' ? inner : <span className={`tk-${token.kind}`}>{inner}</span>;
}

/** Links the names that have a page of their own. */
function Linked({ text, links }: { text: string; links: Links }): ReactNode {
  return text.split(/(\w+)/).map((part, index) =>
    links[part] === undefined ? (
      part
    ) : (
      <a key={index} href={links[part]}>
        {part}
      </a>
    ),
  );
}

export interface CodeBlockProps {
  code: string;
  language: string;
  meta?: FenceMeta;
  /** Hides the title, because a tab already shows it. */
  untitled?: boolean;
  /** Page path of each name that becomes a link. */
  links?: Links;
  /** False hides the "tested" label, which code of the mode `ci` otherwise shows. */
  claim?: boolean;
}

const languageNames: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'JavaScript',
  ts: 'TypeScript',
  json: 'JSON',
  python: 'Python',
  yaml: 'YAML',
  html: 'HTML',
  graphql: 'GraphQL',
  http: 'HTTP',
  nginx: 'nginx',
  php: 'PHP',
  go: 'Go',
  dockerfile: 'Dockerfile',
};

export function CodeBlock(props: CodeBlockProps): ReactNode {
  const { code, language, meta = parseMeta(''), untitled = false, links, claim = true } = props;
  const { highlight } = useSource();
  const text = code.replace(/\n$/, '');
  const lines = highlight(text, language);
  const name = meta.title !== '' ? meta.title : (languageNames[language] ?? language);
  const request = runnableRequest(text, language, meta);
  return (
    <figure className="code" data-language={language} data-sample={meta.id || undefined}>
      <figcaption className={untitled ? 'code-bar bare' : 'code-bar'}>
        <span className={untitled ? 'hidden' : 'code-title'}>{name}</span>
        {meta.mode === 'ci' && claim ? (
          <span className="code-verified" title="The test suite runs this sample against a real server">
            tested
          </span>
        ) : null}
        <span className="code-tools">
          {request === undefined ? null : (
            <button type="button" className="needs-script" data-run={JSON.stringify(request)}>
              Run
            </button>
          )}
          <button type="button" className="needs-script wrap-toggle" data-wrap hidden>
            Wrap
          </button>
          <button type="button" className="needs-script" data-copy aria-label={`Copy: ${name}`}>
            Copy
          </button>
        </span>
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={name}>
        <code className={`language-${language}`}>
          {lines.map((tokens, index) => (
            <span key={index} className={meta.marked.has(index + 1) ? 'line marked' : 'line'}>
              {tokens.map((token, position) => (
                <Token key={position} token={token} links={links} />
              ))}
              {index < lines.length - 1 ? '\n' : ''}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
}
