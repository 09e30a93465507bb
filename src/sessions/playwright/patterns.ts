/**
 * Keeps slow patterns of clients from running in the server, where an expression that backtracks would stop it for
 * everybody. Playwright's server uses them only to decide whether a request is sent to the client. The client's library
 * tests its own patterns again, and continues a request that none of them matches.
 */
import { listLimits } from '../../base/limits.ts';
import { isPlainObject } from '../../base/schema/record.ts';
import type { Message } from './client-message.ts';

const all = { glob: '**' };
/** How many alternatives and optional parts an expression may have: each may double the time. */
const maxChoices = 6;
const maxLength = 1_000;

/** Calls whose `patterns` contain expressions. */
const interceptions = new Set(['setNetworkInterceptionPatterns', 'setWebSocketInterceptionPatterns']);

/** True for an expression that takes time proportional to the text: it repeats nothing and has few alternatives. */
function isQuickExpression(source: string): boolean {
  if (source.length > maxLength) return false;
  // bounded: the length check above
  const bare = source.replace(/\\[^]/g, 'x').replace(/\[[^\][]*\]/g, 'x');
  return !/[*+{]/.test(bare) && bare.split(/[|?]/).length <= maxChoices + 1;
}

/** True for a glob with at most one `**`, and at most one `*` in each segment. */
function isQuickGlob(glob: string): boolean {
  if (glob.length > maxLength) return false;
  const stars = glob.split(/[/{},]/).map((segment) => segment.match(/\*+/g)?.length ?? 0);
  return glob.split('**').length <= 2 && stars.every((count) => count <= 1);
}

function isQuick(pattern: Message): boolean {
  const { glob, regexSource, urlPattern } = pattern;
  if (typeof glob === 'string') return isQuickGlob(glob);
  if (typeof regexSource === 'string') return isQuickExpression(regexSource);
  return urlPattern === undefined;
}

/** Replaces patterns that could take a long time with one for all URLs. @returns whether it changed the message */
export function replacePatterns({ method, params }: Message): boolean {
  if (typeof method !== 'string' || !interceptions.has(method) || !isPlainObject(params)) return false;
  const { patterns } = params;
  if (!Array.isArray(patterns)) return false;
  if (patterns.length > listLimits.patterns) {
    params['patterns'] = [all];
    return true;
  }
  const quick = patterns.map((pattern: unknown) => (isPlainObject(pattern) && !isQuick(pattern) ? all : pattern));
  if (quick.every((pattern, at) => pattern === patterns[at])) return false;
  // One pattern for all URLs is equivalent to several.
  params['patterns'] = [...new Set(quick)];
  return true;
}

/** Returns why an expression that decides what the server records is refused; undefined when it may run here. */
export function refusalOfFilter({ method, params }: Message): string | undefined {
  if (method !== 'harStart' || !isPlainObject(params) || !isPlainObject(params['options'])) return undefined;
  const { urlRegexSource, urlGlob } = params['options'];
  const mayRun =
    (typeof urlRegexSource !== 'string' || isQuickExpression(urlRegexSource)) &&
    (typeof urlGlob !== 'string' || isQuickGlob(urlGlob));
  return mayRun
    ? undefined
    : `the URL filter would run on the server: use a glob with at most one "**", or a regular expression without "*", "+" or "{" and with at most ${maxChoices} alternatives`;
}
