/** Adds the elements of addStyleTag and addScriptTag to the loaded document and waits for each. */
import { Script } from 'node:vm';
import { ServiceError } from '../../../base/errors.ts';
import type { ScriptTag, StyleTag } from '../../../base/schema/request/fields.ts';
import {
  ContextLost,
  evaluateText,
  evaluateWith,
  PageScriptError,
  chunkCharacters,
  withRetry,
  sendText,
} from '../evaluate.ts';
import { toCall, toExpression } from '../page-function.ts';
import { addTag, lastSheetLoaded, type TagOutcome } from '../../injected/document.ts';
import type { Page } from '../page.ts';

/** Time limit for loading one external element, in milliseconds. */
const tagLimitMs = 10_000;
const sheetPollMs = 50;

/** @throws ServiceError `bad-request` that names the entry that cannot be loaded or has no effect */
export async function addStyleTags(page: Page, tags: readonly StyleTag[]): Promise<void> {
  for (const [index, { url, content }] of tags.entries()) {
    const added =
      url === undefined
        ? add(page, 'style', {}, content)
        : add(page, 'link', { rel: 'stylesheet', href: url }, undefined);
    await check(page, `addStyleTag[${index}]`, { url, content, added });
  }
}

/** @throws ServiceError `bad-request` that names the entry that cannot be loaded or has no effect */
export async function addScriptTags(page: Page, tags: readonly ScriptTag[]): Promise<void> {
  for (const [index, { url, content, type, id }] of tags.entries()) {
    const attributes = {
      ...(type === undefined ? {} : { type }),
      ...(id === undefined ? {} : { id }),
      ...(url === undefined ? {} : { src: url }),
    };
    const added = add(page, 'script', attributes, url === undefined ? content : undefined);
    await check(page, `addScriptTag[${index}]`, { url, content, added });
  }
}

/** Adds the element in the page's own world: a script added from an isolated world would escape the page's own CSP. */
async function add(
  page: Page,
  name: 'script' | 'style' | 'link',
  attributes: Record<string, string>,
  content: string | undefined,
): Promise<TagOutcome> {
  // A script may itself navigate the page: it must not run again in the next document.
  const attempts = name === 'script' ? 1 : 3;
  if (content === undefined || content.length <= chunkCharacters) {
    const expression = toExpression(addTag, [name, attributes, content]);
    return withRetry(page, () => evaluateText<TagOutcome>(page, expression), attempts);
  }
  const call = toCall(addTag, JSON.stringify(name), JSON.stringify(attributes), 'text');
  const adding = async () => {
    const text = await withRetry(page, () => sendText(page, content));
    return evaluateWith<TagOutcome>(page, call, text);
  };
  return withRetry(page, adding, attempts);
}

interface AddedTag {
  url: string | undefined;
  content: string | undefined;
  added: Promise<TagOutcome>;
}

/** @throws ServiceError `bad-request` that names the field and why it has no effect */
async function check(page: Page, field: string, { url, content, added }: AddedTag): Promise<void> {
  const address = String(url).slice(0, 200);
  const late = () =>
    new ServiceError(
      'bad-request',
      `${field} did not load from ${address} within ${tagLimitMs / 1_000} s: check that the page can reach it.`,
    );
  const settled = added.then(async (outcome) => {
    if (outcome !== 'loading') return outcome;
    while (!(await withRetry(page, () => page.evaluate(lastSheetLoaded)))) await page.sleep(sheetPollMs);
    return 'added';
  });
  let outcome;
  try {
    outcome = await page.waiting.for(field, page.withTimeout(settled, url === undefined ? 0 : tagLimitMs, late));
  } catch (error) {
    // A script that navigates the page has done its work.
    if (error instanceof ContextLost) return;
    if (!(error instanceof PageScriptError)) throw error;
    throw new ServiceError('bad-request', `${field} could not be added: ${error.message}.`, {
      cause: error,
      callersText: true,
    });
  }
  if (outcome === 'added' || (outcome === 'syntax-error' && parses(content))) return;
  throw new ServiceError('bad-request', `${field} ${reasons[outcome].replace('URL', address)}`);
}

/**
 * Whether a script parses: a syntax error that it threw while it ran is not its own. A long script counts as one that
 * does: parsing it would hold up the server's other work.
 */
function parses(content = ''): boolean {
  if (content.length > chunkCharacters) return true;
  try {
    void new Script(content);
    return true;
  } catch {
    return false;
  }
}

const reasons = {
  failed: "could not be loaded from URL: check the URL and the page's Content-Security-Policy.",
  blocked:
    'has no effect: the page\'s Content-Security-Policy or Trusted Types block inline content. Load it by "url" from a place that the policy allows.',
  'scripts-off':
    'has no effect: scripts do not run on this page, because of setJavaScriptEnabled or a Content-Security-Policy with "sandbox".',
  'syntax-error': 'did not run: it has a syntax error.',
} as const;
