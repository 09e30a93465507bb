/**
 * Keeps stored secrets from the documents that load them: code that ran in a page before may still listen to it, and
 * what reads a page afterwards would read the secret.
 */
import { isPlainObject } from '../schema/record.ts';
import { parseSelector } from './find/selector.ts';
import type { BqlSession } from './run/session.ts';
import { StepError } from './run/step-error.ts';

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
]);

/** Mutations that run code of the document in pages. */
const scripting: ReadonlySet<string> = new Set(['addScriptTag', 'addStyleTag', 'evaluate', 'content']);

const selectorNames = ['selector', 'captchaSelector', 'inputSelector'];

/** Notes what a step does to pages, and refuses it when a secret was filled in. @throws StepError `BAD_ARGUMENT` */
export function requireDiscreet(session: BqlSession, name: string, args: Readonly<Record<string, unknown>>): void {
  const selectors = selectorNames.flatMap((each) => (typeof args[each] === 'string' ? [args[each]] : []));
  const runsScript = scripting.has(name) || selectors.some((text) => isScript(text));
  if (session.secrets.size > 0) {
    if (revealing.has(name)) {
      throw refused(`${name} is refused, because loadSecret has filled a secret into this browser`);
    }
    // A selector of attributes could ask for the value letter by letter.
    if (runsScript || selectors.some((text) => /[[\\]/.test(text))) {
      throw refused('Code, and selectors of attributes, are refused, because loadSecret has filled in a secret');
    }
  }
  if (runsScript) session.ranScripts = true;
}

function isScript(text: string): boolean {
  // An empty selector fails where it is used.
  return text.trim() !== '' && parseSelector(text).kind === 'script';
}

function refused(why: string): StepError {
  return new StepError('BAD_ARGUMENT', `${why}. Read pages in another browser, for example with a stored profile.`);
}

/** An error whose message has no secret: pages write into some. Its cause is left out. */
export function discreet({ code, message }: StepError, secrets: ReadonlySet<string>): StepError {
  return new StepError(code, String(withoutSecrets(message, secrets)));
}

/** A result without the secrets that were filled in. */
export function withoutSecrets(result: unknown, secrets: ReadonlySet<string>): unknown {
  if (secrets.size === 0) return result;
  if (typeof result === 'string') {
    let text = result;
    for (const secret of secrets) {
      for (const form of formsOf(secret)) text = text.replaceAll(form, '***');
    }
    return text;
  }
  if (Array.isArray(result)) return result.map((each: unknown) => withoutSecrets(each, secrets));
  if (!isPlainObject(result)) return result;
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, withoutSecrets(value, secrets)]));
}

/** How a text and its addresses may write a secret, the longest first. */
function formsOf(secret: string): string[] {
  const forms = [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
  ];
  const quoted = forms.map((form) => form.replaceAll("'", '%27'));
  return [...new Set([...forms, ...quoted])].toSorted((a, b) => b.length - a.length);
}
