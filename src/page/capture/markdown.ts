/** The page as Markdown, converted inside the page: a large document would hold the server for seconds. */
import { ServiceError } from '../../errors.ts';
import { type MarkdownLibraries, type MarkdownOptions, toMarkdown } from '../../injected/markdown.ts';
import { pathOf, readText } from '../../runtime/files.ts';
import { evaluateText, isolatedWorld, retried } from '../evaluate.ts';
import { invalidSelector } from '../load/waits.ts';
import { toCall } from '../page-function.ts';
import type { Page } from '../page.ts';

/**
 * What the page shows, with GitHub's tables, task lists and strikethrough.
 * @throws ServiceError `element-not-found`; `invalid-body` for text that is no selector; `bad-request` for a page
 * that the libraries cannot convert
 */
export async function readMarkdown(page: Page, options: Omit<MarkdownOptions, 'scripting'>): Promise<string> {
  const given = JSON.stringify({ ...options, scripting: page.javaScriptEnabled });
  const call = toCall(toMarkdown, await page.until(libraries(options.onlyMainContent)), given);
  const result = await retried(page, async () =>
    evaluateText<ReturnType<typeof toMarkdown>>(page, call, await isolatedWorld(page)),
  );
  if ('text' in result) return result.text;
  if (result.problem === 'invalid') throw invalidSelector(options.selector ?? '', 'selector');
  if (result.problem === 'absent') {
    throw new ServiceError('element-not-found', 'No element matches "selector". Wait for it with waitForSelector.');
  }
  throw new ServiceError(
    'bad-request',
    'The page cannot be converted to Markdown, as when its elements lie thousands deep in one another. Name a part of it with "selector", or use /content.',
  );
}

/** Files of the libraries for browsers, and the expression that each is known by when it has run. */
const scripts = {
  TurndownService: ['turndown/dist/turndown.js', 'TurndownService'],
  gfm: ['@joplin/turndown-plugin-gfm', 'exports.gfm'],
  Readability: ['@mozilla/readability/Readability.js', 'Readability'],
} as const satisfies Record<keyof MarkdownLibraries, readonly [string, string]>;

const loaded = new Map<keyof MarkdownLibraries, Promise<string>>();

/** The text of an object with the libraries; files are read on first use. */
async function libraries(onlyMainContent: boolean): Promise<string> {
  const needed: (keyof MarkdownLibraries)[] = [
    'TurndownService',
    'gfm',
    ...(onlyMainContent ? ['Readability' as const] : []),
  ];
  const members = needed.map(async (name) => {
    const script = loaded.get(name) ?? read(name);
    loaded.set(name, script);
    return `${name}: ${await script}`;
  });
  return `{${(await Promise.all(members)).join(',\n')}}`;
}

/** The text of an expression that is the library. Its names, and those of CommonJS, stay inside. */
async function read(name: keyof MarkdownLibraries): Promise<string> {
  const [file, value] = scripts[name];
  const text = await readText(pathOf(import.meta.resolve(file)));
  return `((exports) => {${text}\nreturn ${value};})({})`;
}
