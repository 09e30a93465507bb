/** Writes a request as code that runs as pasted: for curl, Node and Python. */
import { parseJson } from '../site/json.ts';
import { formOf, quoteToken } from './quote.ts';

/** A request to this server's API. */
export interface ApiCall {
  method: string;
  /** Path and query on this server, without the base path. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Absent for GET. */
  body?: string;
}

export const languages = { curl: 'curl', node: 'Node', python: 'Python' } as const;
export type Language = keyof typeof languages;

export interface SnippetSource {
  call: ApiCall;
  /** The reader's token; empty for none. */
  token: string;
  /** The origin of the server with its base path. */
  origin: string;
  /** The media type of the response, if it is known in advance. */
  answers: string;
}

/** Extensions of files that responses are written to; other responses are printed. */
const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
};

export function snippetOf(language: Language, { call, token, origin, answers }: SnippetSource): string {
  const { method, path, headers, body } = withToken(call, token);
  const ending = endings[plainType(answers)];
  const file = ending === undefined ? undefined : `answer.${ending}`;
  const parts = { method, url: origin + path, headers: Object.entries(headers), body, file };
  return writers[language](parts);
}

/** Adds a token to a request: as a header, or in the query if a header cannot contain its characters. */
export function withToken(call: ApiCall, token: string): ApiCall {
  if (token === '') return call;
  if (formOf(token) === 'header') return { ...call, headers: { ...call.headers, Authorization: `Bearer ${token}` } };
  const mark = call.path.includes('?') ? '&' : '?';
  return { ...call, path: `${call.path}${mark}token=${quoteToken(token, 'url')}` };
}

/** Returns the media type without its parameters. */
export const plainType = (type: string | null): string => type?.split(';')[0]?.trim().toLowerCase() ?? '';

interface Parts {
  method: string;
  url: string;
  headers: readonly [string, string][];
  body: string | undefined;
  file: string | undefined;
}

/** Quotes text for a POSIX shell, if it needs quotes. */
const shell = (text: string): string => (/^[\w./:{}-]+$/.test(text) ? text : `'${quoteToken(text, 'shell')}'`);

/** Returns a JavaScript string literal, which Python reads as the same string. */
const literal = (text: string): string => JSON.stringify(text);

/** Returns the value of a JSON body; undefined for other bodies. */
function valueIn(body: string | undefined): unknown {
  // In a JavaScript object literal, this name would set the prototype.
  return body === undefined || body.includes('__proto__') ? undefined : parseJson(body);
}

function pythonLiteral(value: unknown, indent: string): string {
  const inner = `${indent}    `;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((each) => `${inner}${pythonLiteral(each, inner)},\n`).join('')}${indent}]`;
  }
  if (typeof value === 'object') {
    const members = Object.entries(value);
    if (members.length === 0) return '{}';
    return `{\n${members.map(([name, each]) => `${inner}${literal(name)}: ${pythonLiteral(each, inner)},\n`).join('')}${indent}}`;
  }
  return JSON.stringify(value);
}

/** Joins lines; those that are false are left out. */
const joined = (...lines: (string | readonly string[] | false)[]): string =>
  lines
    .flat()
    .filter((line) => line !== false)
    .join('\n');

const writers: Readonly<Record<Language, (parts: Parts) => string>> = {
  curl: ({ method, url, headers, body, file }) =>
    [
      `curl --fail-with-body ${method === 'GET' || body !== undefined ? '' : `-X ${method} `}${shell(url)}`,
      ...headers.map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`),
      // Not --data: that reads a file when the text starts with @.
      ...(body === undefined ? [] : [`--data-raw ${shell(body)}`]),
      ...(file === undefined ? [] : [`-o ${file}`]),
    ].join(' \\\n  '),

  node: ({ method, url, headers, body, file }) => {
    const value = valueIn(body);
    const written =
      value === undefined
        ? literal(body ?? '')
        : `JSON.stringify(${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')})`;
    const named = headers.map(([name, text]) => `    ${/^\w+$/.test(name) ? name : literal(name)}: ${literal(text)},`);
    return joined(
      file !== undefined && [`import { writeFile } from 'node:fs/promises';`, ''],
      `const response = await fetch(${literal(url)}, {`,
      `  method: ${literal(method)},`,
      headers.length > 0 && ['  headers: {', ...named, '  },'],
      body !== undefined && `  body: ${written},`,
      '});',
      'if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);',
      file === undefined
        ? 'console.log(await response.text());'
        : `await writeFile(${literal(file)}, new Uint8Array(await response.arrayBuffer()));`,
    );
  },

  python: ({ method, url, headers, body, file }) => {
    const value = valueIn(body);
    const written = value === undefined ? literal(body ?? '') : `json.dumps(${pythonLiteral(value, '    ')})`;
    const named = headers.map(([name, text]) => `        ${literal(name)}: ${literal(text)},`);
    return joined(
      value !== undefined && 'import json',
      ['import urllib.request', '', 'request = urllib.request.Request('],
      `    ${literal(url)},`,
      body !== undefined && `    data=${written}.encode(),`,
      headers.length > 0 && ['    headers={', ...named, '    },'],
      `    method=${literal(method)},`,
      [')', 'with urllib.request.urlopen(request) as response:'],
      file === undefined
        ? '    print(response.read().decode())'
        : [`    with open(${literal(file)}, "wb") as out:`, '        out.write(response.read())'],
    );
  },
};
