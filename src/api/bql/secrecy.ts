/**
 * Hides stored secrets from the documents that load them: code that ran in a page earlier may still listen, and steps
 * that read the page afterward would read the secret.
 */
import { isPlainObject } from '../../base/schema/record.ts';
import { parseSelector } from './find/selector.ts';
import type { BqlSession } from './run/session.ts';
import { masked } from './run/mask.ts';
import { badArgument, StepError } from './run/step-error.ts';

/** Mutations that read pages, show them, or run code in them. */
const revealing: ReadonlySet<string> = new Set([
  'addScriptTag',
  'addStyleTag',
  'cookies',
  'evaluate',
  'html',
  'liveURL',
  'mapSelector',
  'pdf',
  'querySelector',
  'querySelectorAll',
  'request',
  'response',
  'screenshot',
  'solveImageCaptcha',
  'text',
  'title',
]);

/** Mutations that run the document's code in pages. */
const scripting: ReadonlySet<string> = new Set(['addScriptTag', 'addStyleTag', 'evaluate', 'content']);

/** Arguments that are compared with URLs and titles, which may contain data from a submitted form; by mutation. */
const comparing: Readonly<Record<string, readonly (readonly string[])[]>> = {
  if: [
    ['request', 'url'],
    ['response', 'url'],
  ],
  ifnot: [
    ['request', 'url'],
    ['response', 'url'],
  ],
  proxy: [['url']],
  reject: [['url'], ['regex']],
  switchToWindow: [['url'], ['title']],
  waitForRequest: [['url']],
  waitForResponse: [['url']],
};

const selectorNames = ['selector', 'captchaSelector', 'inputSelector'];

/** Records what a step does to pages, and refuses it if it could reveal a secret. @throws StepError `BAD_ARGUMENT` */
export function requireNoSecretLeak(session: BqlSession, name: string, args: Readonly<Record<string, unknown>>): void {
  const selectors = selectorNames.flatMap((each) => (typeof args[each] === 'string' ? [args[each]] : []));
  const runsScript = scripting.has(name) || selectors.some((text) => isScript(text));
  if (session.secrets.size > 0) {
    if (revealing.has(name)) {
      throw refused(`${name} is refused because loadSecret has filled in a secret in this browser`);
    }
    // An attribute selector could probe the value letter by letter.
    if (runsScript || selectors.some((text) => /[[\\]/.test(text))) {
      throw refused('Code and attribute selectors are refused because loadSecret has filled in a secret');
    }
    const compared = (comparing[name] ?? []).find((path) => isGiven(memberOf(args, path)));
    if (compared) {
      const field = compared.join('.');
      throw refused(
        `"${field}" of ${name} is refused because loadSecret has filled in a secret, which the compared text may contain`,
      );
    }
    if (selectors.some((text) => namesFrames(text))) {
      throw refused('Selectors with a frame URL are refused because loadSecret has filled in a secret');
    }
  }
  if (runsScript) session.marks.traces.ranScripts = true;
}

function memberOf(args: Readonly<Record<string, unknown>>, [first = '', ...rest]: readonly string[]): unknown {
  const member = args[first];
  return rest.length > 0 && isPlainObject(member) ? memberOf(member, rest) : member;
}

/** Whether an argument has something to match; null and empty lists match nothing. */
function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
}

function namesFrames(text: string): boolean {
  if (text.trim() === '') return false;
  const selector = parseSelector(text);
  return selector.kind === 'deep' && selector.frames !== undefined;
}

function isScript(text: string): boolean {
  // An empty selector fails where it is used.
  return text.trim() !== '' && parseSelector(text).kind === 'script';
}

function refused(why: string): StepError {
  return badArgument(`${why}. Read pages in a different browser, for example with a stored profile.`);
}

/** Returns the strings in a step's arguments, which the client knows because it sent them. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isPlainObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * Masks secrets in an error's message, because some messages contain text from pages. Leaves out the cause.
 * @param sent strings that the client sent, which stay unchanged: masking a part of them would reveal the secret
 */
export function maskedError(
  { code, message }: StepError,
  secrets: ReadonlySet<string>,
  sent: readonly string[],
): StepError {
  return new StepError(code, masked(message, secrets, sent));
}

/** Masks filled-in secrets in a result; reduces URLs to their origin, because a form may put secrets into the URL. */
export function withoutSecrets(result: unknown, secrets: ReadonlySet<string>, sent: readonly string[]): unknown {
  if (secrets.size === 0) return result;
  if (typeof result === 'string') return masked(result, secrets, sent);
  if (Array.isArray(result)) return result.map((each: unknown) => withoutSecrets(each, secrets, sent));
  if (!isPlainObject(result)) return result;
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [name, memberWithoutSecrets(name, value, secrets, sent)]),
  );
}

function memberWithoutSecrets(
  name: string,
  value: unknown,
  secrets: ReadonlySet<string>,
  sent: readonly string[],
): unknown {
  if (typeof value !== 'string' || (name !== 'url' && name !== 'title')) return withoutSecrets(value, secrets, sent);
  if (sent.includes(value)) return value;
  if (name === 'title') return null;
  const origin = URL.canParse(value) ? new URL(value).origin : 'null';
  return origin === 'null' ? null : `${origin}/`;
}
