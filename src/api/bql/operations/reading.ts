/** Implements html, text, querySelector, querySelectorAll, evaluate and cookies. */
import { readContent } from '../../../browser/page/capture/content.ts';
import { callOn, evaluateHandle, releaseHandles } from '../../../browser/page/act/elements.ts';
import { evaluateText, PageScriptError, withRetry } from '../../../browser/page/evaluate.ts';
import { mainFrame } from '../../../browser/page/frames.ts';
import type { Page } from '../../../browser/page/page.ts';
import { toCall, toExpression } from '../../../browser/page/page-function.ts';
import { readAddress, resultOf } from '../../../browser/injected/document.ts';
import { loadResource } from '../../../browser/page/requests/fetch-resource.ts';
import { type CleanOptions, cleanUp } from '../../../browser/injected/clean-content.ts';
import { findElement, findLists } from '../find/find-elements.ts';
import { textOf } from '../../../browser/injected/dom.ts';
import { describeElements, markupOf } from '../../../browser/injected/read-elements.ts';
import { type Maybe, operation, type StepCall } from '../run/operation.ts';
import { badArgument, StepError } from '../run/step-error.ts';
import { addCookie } from '../../../browser/page/load/cookies.ts';
import { parseValue } from '../../../base/schema/parse.ts';
import { cookieList } from '../../../base/schema/request/fields.ts';

interface ReadArgs {
  selector?: Maybe<string>;
  visible?: Maybe<boolean>;
  clean?: Maybe<CleanOptions>;
}

export const html = operation<ReadArgs>({
  async run(call) {
    const { args, page } = call;
    if (args.clean) return { html: await cleaned(call, args.clean, 'html') };
    if (args.selector === undefined || args.selector === null) return { html: await readContent(page) };
    return { html: await onElement(call, args.selector, markupOf) };
  },
});

export const text = operation<ReadArgs>({
  async run(call) {
    const { args } = call;
    if (args.clean) return { text: await cleaned(call, args.clean, 'text') };
    return { text: await onElement(call, args.selector ?? 'body', textOf) };
  },
});

async function onElement(
  { step, args }: StepCall<ReadArgs>,
  selector: string,
  read: (element: never) => string,
): Promise<string> {
  const element = await findElement(step, selector, { visible: args.visible });
  try {
    return await callOn(step.page, element, read);
  } finally {
    releaseHandles([element.frame]);
  }
}

async function cleaned({ step, page, args }: StepCall<ReadArgs>, clean: CleanOptions, kind: 'html' | 'text') {
  const { selector } = args;
  const root =
    selector === undefined || selector === null
      ? await evaluateHandle(
          page,
          mainFrame(page),
          kind === 'html' ? 'document.documentElement' : 'document.body ?? document.documentElement',
        )
      : await findElement(step, selector, { visible: args.visible });
  if (!root) return '';
  try {
    return await callOn(page, root, cleanUp, clean, kind);
  } catch (error) {
    if (!(error instanceof PageScriptError)) throw error;
    throw badArgument(`"clean" cannot be applied: ${error.message}.`, { cause: error });
  } finally {
    releaseHandles([root.frame]);
  }
}

interface QueryArgs {
  selector: string;
  visible?: Maybe<boolean>;
}

async function describe({ step, args, page }: StepCall<QueryArgs>) {
  const lists = await findLists(step, args.selector, { visible: args.visible });
  const found = await Promise.all(lists.map((list) => callOn(page, list, describeElements, args.visible ?? false)));
  releaseHandles(lists.map(({ frame }) => frame));
  return found.flat();
}

export const querySelector = operation<QueryArgs>({
  run: async (call) => (await describe(call))[0] ?? null,
});

export const querySelectorAll = operation<QueryArgs>({ run: describe });

export const evaluate = operation<{ content?: Maybe<string>; url?: Maybe<string> }>({
  acts: true,
  async run({ args, page, session, step }) {
    const { content, url } = args;
    if (typeof content !== 'string' && typeof url !== 'string') {
      throw badArgument('"evaluate" needs "content" (the script) or "url" (its URL).');
    }
    if (typeof content === 'string' && typeof url === 'string') {
      throw badArgument('"evaluate" accepts "content" or "url", not both.');
    }
    step.setTimeoutReason('TIMEOUT', 'the script was still running. Raise "timeout".');
    const code = content ?? (await loadResource(page, session.environment.checkUrl(url ?? '', 'url').href));
    return { value: await runScript(page, code) };
  },
});

/** Returns the script's value as text. Tries it as an expression first: a script that does not parse has not run. */
async function runScript(page: Page, code: string): Promise<string | null> {
  const script = code.trim();
  const expression = script.replace(/(?<!;);+$/, '');
  let problem: PageScriptError | undefined;
  for (const body of [`return (${expression}\n);`, `${script}\n`]) {
    try {
      return await evaluateText<string | null>(page, toCall(resultOf, `async () => {${body}}`));
    } catch (error) {
      if (!(error instanceof PageScriptError)) throw error;
      // Keep the second error: it explains better what is wrong with statements.
      problem = error;
      if (!error.syntax) break;
    }
  }
  throw new StepError(
    'SCRIPT_ERROR',
    `The script ${problem?.syntax ? 'cannot be parsed' : 'threw'}: ${problem?.message ?? 'it is empty'}.`,
  );
}

/** Checked with the field `cookies` of REST bodies. */
type CookieArgs = { url?: Maybe<string>; domain?: Maybe<string> } & Record<string, unknown>;

export const cookies = operation<{ cookies?: Maybe<CookieArgs[]> }>({
  async run({ args, page }) {
    const given = (args.cookies ?? []).filter((cookie) => cookie !== null);
    if (given.length > 0) await setCookies(page, given);
    const urls = given.flatMap(({ url }) => (typeof url === 'string' ? [url] : []));
    const [own, named] = await Promise.all([
      page.send('Network.getCookies', {}),
      urls.length > 0 ? page.send('Network.getCookies', { urls }) : undefined,
    ]);
    const all = [...own.cookies, ...(named?.cookies ?? [])];
    const unique = new Map(
      all.map((cookie) => [JSON.stringify([cookie.name, cookie.domain, cookie.path, cookie.partitionKey]), cookie]),
    );
    return {
      cookies: [...unique.values()].map(({ name, value, domain, path, expires, secure, ...rest }) => ({
        name,
        value,
        domain,
        path,
        expires: expires < 0 ? null : expires,
        httpOnly: rest.httpOnly,
        secure,
        sameSite: rest.sameSite ?? null,
        partitionKey: rest.partitionKey?.topLevelSite ?? null,
        hasCrossSiteAncestor: rest.partitionKey?.hasCrossSiteAncestor ?? null,
        _crHasCrossSiteAncestor: rest.partitionKey?.hasCrossSiteAncestor ?? null,
        url: `${secure ? 'https' : 'http'}://${domain.replace(/^\./, '')}${path}`,
      })),
    };
  },
});

/** @throws ServiceError `invalid-body` that names the cookie */
async function setCookies(page: Page, given: readonly CookieArgs[]): Promise<void> {
  const { cookies: checked } = parseValue(cookieList, { cookies: given }, 'invalid-body', 'cookies');
  for (const [index, cookie] of checked.entries()) {
    const isOfPage = cookie.url === undefined && cookie.domain === undefined;
    const url = isOfPage
      ? await withRetry(page, () => evaluateText<string>(page, toExpression(readAddress, [])))
      : undefined;
    await page.until(addCookie(page.session, cookie, `cookies[${index}]`, url));
  }
}
