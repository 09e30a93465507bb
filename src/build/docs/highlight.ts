/** Splits code into named tokens. The style sheet colors them, because the page's policy allows no inline styles. */
import { type BundledLanguage, createCssVariablesTheme, createHighlighter } from 'shiki';
import type { CodeToken, Highlight } from '../../web/docs/site/model.ts';

const languages: Readonly<Record<string, BundledLanguage>> = {
  sh: 'bash',
  bash: 'bash',
  js: 'javascript',
  javascript: 'javascript',
  ts: 'typescript',
  json: 'json',
  python: 'python',
  yaml: 'yaml',
  html: 'html',
  graphql: 'graphql',
  dockerfile: 'dockerfile',
  nginx: 'nginx',
  http: 'http',
  php: 'php',
  go: 'go',
  java: 'java',
  csharp: 'csharp',
};

const theme = createCssVariablesTheme({ name: 'variables', variablePrefix: '--', fontStyle: false });

/** @returns a function that throws for a language without a loaded grammar; `text` stays plain */
export async function createHighlight(): Promise<Highlight> {
  const names = [...new Set(Object.values(languages))];
  const highlighter = await createHighlighter({ themes: [theme], langs: names });
  const known = new Map<string, CodeToken[][]>();
  return (code, language) => {
    if (language === 'text') return code.split('\n').map((text) => [{ text, kind: '' }]);
    const name = languages[language];
    if (name === undefined) throw new Error(`No highlighting for the language ${language}`);
    const key = `${language}\n${code}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    // Without a time limit: on a busy machine, the end of a long line would have no colors.
    const lines = highlighter
      .codeToTokensBase(code, { lang: name, theme, tokenizeTimeLimit: 0 })
      .map((line) => merged(line.map(({ content, color = '' }) => ({ text: content, kind: kindOf(color) }))));
    known.set(key, lines);
    return lines;
  };
}

/** Returns `string-expression` for the color `var(--token-string-expression)`, and an empty string for plain text. */
function kindOf(color: string): string {
  return /--token-([\w-]+)/.exec(color)?.[1] ?? '';
}

/** Joins adjacent tokens of one kind. */
function merged(tokens: readonly CodeToken[]): CodeToken[] {
  const result: CodeToken[] = [];
  for (const token of tokens) {
    const last = result.at(-1);
    if (last !== undefined && last.kind === token.kind) last.text += token.text;
    else result.push({ ...token });
  }
  return result;
}
