/** Decides which samples a reader can run from the page: only samples that are a single JSON request to this server. */
import { sampleOrigin } from '../site/site.ts';

/** A request that a Run button sends to the reader's own server. */
export interface RunnableRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** A BrowserQL document instead of a body. */
  query?: string;
  variables?: string;
}

/** Attributes of a code fence that decide whether its sample has a Run button. */
export interface RunMeta {
  mode: string;
  noRun: boolean;
  path: string;
  variables: string;
  expect: string;
}

/** Returns the request of a sample; undefined if the sample is not one simple request. */
export function runnableRequest(code: string, language: string, meta: RunMeta): RunnableRequest | undefined {
  if (meta.noRun || meta.mode !== 'ci' || meta.expect !== '') return undefined;
  if (language === 'graphql') {
    return {
      method: 'POST',
      path: meta.path || '/chromium/bql',
      headers: { 'Content-Type': 'application/json' },
      query: code,
      ...(meta.variables === '' ? {} : { variables: meta.variables }),
    };
  }
  return language === 'sh' ? parseCurl(code) : undefined;
}

/** Paths without a Run button: they create, end or change sessions. */
const notOffered = /\/(kill|sessions?\/|session$)/;

/** Parses one curl command; undefined for several commands, for pipes, files, and options that fetch cannot express. */
export function parseCurl(code: string): RunnableRequest | undefined {
  const words = splitShell(
    code
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .join('\n'),
  );
  if (words === undefined || words.shift() !== 'curl') return undefined;
  let url = '';
  let body: string | undefined;
  let method: string | undefined;
  const headers: Record<string, string> = {};
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (['--fail-with-body', '--silent', '-s', '--fail', '-f', '-sS'].includes(word)) continue;
    if (word === '-o' || word === '--output') words.shift();
    else if (word === '-X' || word === '--request') method = words.shift();
    else if (word === '-H' || word === '--header') {
      const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(words.shift() ?? '') ?? [];
      // Run adds the reader's token automatically.
      if (name.toLowerCase() !== 'authorization') headers[name] = value;
    } else if (word === '-d' || word === '--data' || word === '--data-raw') body = words.shift();
    else if (word.startsWith('-')) return undefined;
    else if (url === '') url = word;
    else return undefined;
  }
  if (!url.startsWith(`${sampleOrigin}/`) || body?.startsWith('@') === true) return undefined;
  const path = url.slice(sampleOrigin.length);
  const verb = method ?? (body === undefined ? 'GET' : 'POST');
  if ((verb !== 'GET' && verb !== 'POST') || notOffered.test(path)) return undefined;
  return { method: verb, path, headers, ...(body === undefined ? {} : { body }) };
}

/** Splits a simple shell command into words, with single and double quotes; undefined for anything more. */
function splitShell(text: string): string[] | undefined {
  const words: string[] = [];
  const pattern = /\s*(?:\\\n\s*)*((?:'[^']*'|"(?:\\.|[^"\\$`])*"|\\[^\n]|[^\s'"\\|&;<>$`()])+)/y;
  const source = text.trim();
  while (pattern.lastIndex < source.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(source);
    if (match === null) return undefined;
    if (/\n/.test(source.slice(at, pattern.lastIndex - (match[1]?.length ?? 0)).replaceAll('\\\n', '')))
      return undefined;
    words.push(
      (match[1] ?? '').replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g, (_, single, double, escaped) =>
        single !== undefined ? single : double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : escaped,
      ),
    );
  }
  return words;
}
