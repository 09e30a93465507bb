/** Adds the header Authorization to the requests of samples, in the languages that samples are written in. */
import { sampleToken } from '../site/site.ts';
import type { Address } from './addresses.ts';
import type { Insertion } from './insertions.ts';
import type { Quote } from './quote.ts';

/** Returns the insertions that add the header to a request; undefined if the code has no place for a header. */
type AddHeader = (code: string, address: Address) => Insertion[] | undefined;

const bearer = `Bearer ${sampleToken}`;
const header = (at: number, text: string, quote: Quote): Insertion[] => [{ at, text, forms: ['header'], quote }];

/** Returns the offset after the bracket that closes the one at `open`; brackets in strings do not count. */
function endOfBrackets(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    const character = code[at] ?? '';
    if (/['"`]/.test(character)) {
      const closing = code.indexOf(character, at + 1);
      if (closing < 0) return code.length;
      at = closing;
    } else if (/[([{]/.test(character)) depth++;
    else if (/[)\]}]/.test(character) && --depth === 0) return at + 1;
  }
  return code.length;
}

/** Inserts after the URL of a curl command: on a separate line if the command continues on the next line. */
const shell: AddHeader = (code, { start, end, quote }) => {
  const from = Math.max(0, ...[...code.slice(0, start).matchAll(/(?<!\\)\n|[|;(]/g)].map(({ index }) => index + 1));
  const command = code.slice(from);
  if (!/\bcurl\b/.test(code.slice(from, start)) || inString(code.slice(from, start - quote.length))) return undefined;
  const whole = /^(?:[^\n]*\\\n)*[^\n]*/.exec(command)?.[0] ?? '';
  if (/Authorization:|\s-u\s/.test(whole)) return [];
  const at = end + quote.length;
  const option = `-H 'Authorization: ${bearer}'`;
  return header(at, code.startsWith(' \\\n', at) ? ` \\\n  ${option}` : ` ${option}`, 'shell');
};

const inString = (text: string): boolean => text.split("'").length % 2 === 0;

/** Inserts into the options of `fetch`, and of a `connectOverCDP` that requests the socket's URL over HTTP. */
const javascript: AddHeader = (code, { start, end }) => {
  if (!/\b(?:fetch|connectOverCDP)\(\s*$/.test(code.slice(0, start - 1))) return undefined;
  const rest = code.slice(end + 1);
  const field = `headers: { Authorization: '${bearer}' }`;
  if (/^\s*\)/.test(rest)) return header(end + 1, `, { ${field} }`, 'single');
  const open = /^,\s*\{/.exec(rest)?.[0];
  if (open === undefined) return undefined;
  const at = end + 1 + open.length;
  const options = code.slice(at, endOfBrackets(code, at - 1));
  const own = /\bheaders:\s*\{/.exec(options);
  if (own !== null) return header(at + own.index + own[0].length, ` Authorization: '${bearer}',`, 'single');
  const indent = /^\n\s*/.exec(options)?.[0] ?? ' ';
  return header(at, `${indent}${field},`, 'single');
};

/** Inserts into the arguments of `requests.post` and of urllib's `Request`. */
const python: AddHeader = (code, { start, end }) => {
  const call = /\b(?:get|post|put|delete|Request)\(\s*$/.exec(code.slice(0, start - 1));
  if (call === null) return undefined;
  const inner = code.slice(end + 1, endOfBrackets(code, code.indexOf('(', call.index)));
  const own = /\bheaders=\{/.exec(inner);
  if (own !== null) return header(end + 1 + own.index + own[0].length, `"Authorization": "${bearer}", `, 'double');
  const indent = /^,(\n\s+)/.exec(inner)?.[1] ?? ' ';
  return header(end + 1, `,${indent}headers={"Authorization": "${bearer}"}`, 'double');
};

/** Inserts next to another header of the same request, which `pattern` finds after the URL. */
const nextToHeader =
  (pattern: RegExp, text: (indent: string) => string, quote: Quote): AddHeader =>
  (code, { end }) => {
    const match = pattern.exec(code.slice(end));
    if (match === null) return undefined;
    return header(end + match.index + match[0].length, text(match[1] ?? ''), quote);
  };

/** By the language of the fence. */
export const addHeader: Readonly<Record<string, AddHeader>> = {
  sh: shell,
  js: javascript,
  ts: javascript,
  python,
  php: nextToHeader(/(?:CURLOPT_HTTPHEADER|'header') => \[/, () => `'Authorization: ${bearer}', `, 'single'),
  go: nextToHeader(
    /\n(\s*)(?=request\.Header\.Set\()/,
    (indent) => `request.Header.Set("Authorization", "${bearer}")\n${indent}`,
    'double',
  ),
  java: nextToHeader(/\n(\s*)(?=\.header\()/, (indent) => `.header("Authorization", "${bearer}")\n${indent}`, 'double'),
  csharp: nextToHeader(
    /;\n(\s*)/,
    (indent) => `request.Headers.TryAddWithoutValidation("Authorization", "${bearer}");\n${indent}`,
    'double',
  ),
};
