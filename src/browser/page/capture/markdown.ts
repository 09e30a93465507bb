/** Converts a page to Markdown, inside the page: a large document would block the server for seconds. */
import { ServiceError } from '../../../base/errors.ts';
import { type MarkdownLibraries, type MarkdownOptions, toMarkdown } from '../../injected/markdown.ts';
import { assetText } from '../../../base/program/assets.ts';
import { evaluateText, isolatedWorld, withRetry } from '../evaluate.ts';
import { invalidSelector } from '../load/waits.ts';
import { toCall } from '../page-function.ts';
import type { Page } from '../page.ts';

/**
 * Returns what the page shows as Markdown, with GitHub's tables, task lists and strikethrough.
 * @throws ServiceError `element-not-found`; `invalid-body` for an invalid selector; `bad-request` for a page that the
 *   libraries cannot convert
 */
export async function readMarkdown(page: Page, options: Omit<MarkdownOptions, 'scripting'>): Promise<string> {
  const given = JSON.stringify({ ...options, scripting: page.javaScriptEnabled });
  const call = toCall(toMarkdown, await page.until(libraries(options.onlyMainContent)), given);
  const result = await withRetry(page, async () =>
    evaluateText<ReturnType<typeof toMarkdown>>(page, call, await isolatedWorld(page)),
  );
  if ('text' in result) return result.text;
  if (result.problem === 'invalid') throw invalidSelector(options.selector ?? '', 'selector');
  if (result.problem === 'absent') {
    throw new ServiceError('element-not-found', 'No element matches "selector". Wait for it with waitForSelector.');
  }
  throw new ServiceError(
    'bad-request',
    'The page cannot be converted to Markdown; its elements may be nested too deeply. Choose a part of it with "selector", or use /content.',
  );
}

/** Script files of the libraries, and the expression that evaluates to each library after its script has run. */
const scripts = {
  TurndownService: ['turndown.js', 'TurndownService'],
  gfm: ['turndown-gfm.js', 'exports.gfm'],
  Readability: ['readability.js', 'Readability'],
} as const satisfies Record<keyof MarkdownLibraries, readonly [string, string]>;

const loaded = new Map<keyof MarkdownLibraries, Promise<string>>();

/** Returns the source of an object literal with the libraries; reads each file once, on first use. */
async function libraries(onlyMainContent: boolean): Promise<string> {
  const needed: (keyof MarkdownLibraries)[] = [
    'TurndownService',
    'gfm',
    ...(onlyMainContent ? ['Readability' as const] : []),
  ];
  const members = needed.map(async (name) => {
    const script = loaded.get(name) ?? read(name);
    loaded.set(name, script);
    script.catch(() => loaded.delete(name));
    return `${name}: ${await script}`;
  });
  return `{${(await Promise.all(members)).join(',\n')}}`;
}

/** Returns the source of an expression whose value is the library; its names and `exports` stay in its scope. */
async function read(name: keyof MarkdownLibraries): Promise<string> {
  const [file, value] = scripts[name];
  const text = await assetText(file);
  return `((exports) => {${text}\nreturn ${value};})({})`;
}
