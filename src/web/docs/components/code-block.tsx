/** Renders a code block with a title, a Copy button and, where a browser can send the sample, a Run button. */
import type { ReactNode } from 'react';
import { readSample } from '../samples/credential.ts';
import { canSwitchTarget, onDemoSite } from '../samples/target.ts';
import { useSource } from './facts.tsx';
import { runnableRequest, type RunMeta } from '../samples/runnable.ts';
import { LinePiece, linesOf } from './sample-lines.tsx';

/** Attributes after the language of a code fence. */
export interface FenceMeta extends RunMeta {
  title: string;
  id: string;
  reason: string;
  marked: ReadonlySet<number>;
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

/** Links the names in a text that have their own page. */
export function Linked({ text, links }: { text: string; links: Readonly<Record<string, string>> }): ReactNode {
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

interface CodeBlockProps {
  code: string;
  language: string;
  meta?: FenceMeta;
  /** Hides the title, because a tab already shows it. */
  untitled?: boolean;
  /** Page paths by name; these names become links. */
  links?: Readonly<Record<string, string>>;
  /** False hides the "tested" label, which code with mode `ci` shows by default. */
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
  java: 'Java',
  csharp: 'C#',
  dockerfile: 'Dockerfile',
};

/** Shows whether the test suite runs a sample. */
function TestedBadge({ mode, reason }: Pick<FenceMeta, 'mode' | 'reason'>): ReactNode {
  const titles: Readonly<Record<string, string>> = {
    ci: 'The test suite runs this sample against a real server',
    installed: 'Tested only on machines that have this language installed',
    never: `Not run by the test suite: ${reason}`,
  };
  const isTested = mode === 'ci';
  return titles[mode] === undefined ? null : (
    <span className={isTested ? 'code-verified' : 'code-unverified'} title={titles[mode]}>
      {isTested ? 'tested' : 'not tested'}
    </span>
  );
}

export function CodeBlock(props: CodeBlockProps): ReactNode {
  const { code, language, meta = parseMeta(''), untitled = false, links, claim = true } = props;
  const { highlight } = useSource();
  const source = code.replace(/\n$/, '');
  const sample = readSample(onDemoSite(source), language);
  const lines = linesOf(sample, language, highlight);
  const name = meta.title !== '' ? meta.title : (languageNames[language] ?? language);
  const request = runnableRequest(sample.code, language, meta);
  const figure = (
    <figure
      className={sample.isAboutToken ? 'code about-token' : 'code'}
      data-language={language}
      data-sample={meta.id || undefined}
    >
      <figcaption className={untitled ? 'code-bar bare' : 'code-bar'}>
        <span className={untitled ? 'hidden' : 'code-title'}>{name}</span>
        {claim ? <TestedBadge mode={meta.mode} reason={meta.reason} /> : null}
        <span className="code-tools">
          {request === undefined ? null : (
            <button type="button" className="needs-script" data-run={JSON.stringify(request)}>
              Run
            </button>
          )}
          {canSwitchTarget(source) ? (
            <button type="button" className="needs-script" data-switch-target aria-pressed="false">
              example.com
            </button>
          ) : null}
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
          {lines.map(({ pieces, number }, index) => (
            <span key={index} className={meta.marked.has(number) ? 'line marked' : 'line'}>
              {pieces.map((piece, position) =>
                links === undefined ? (
                  <LinePiece key={position} piece={piece} language={language} />
                ) : (
                  <span key={position} className={piece.kind === '' ? undefined : `tk-${piece.kind}`}>
                    <Linked text={piece.text} links={links} />
                  </span>
                ),
              )}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
  if (!sample.isAboutToken) return figure;
  return (
    <>
      {figure}
      <p className="no-token">This server does not require a token, so a sample about tokens is hidden.</p>
    </>
  );
}
