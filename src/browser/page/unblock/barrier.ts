/** Recognizes barriers that a site shows instead of a page to visitors that it takes for bots. */
import type { Captcha } from '../captcha/look.ts';

/** The response for the main document. */
export interface DocumentResponse {
  status: number;
  /** The case of the names does not matter. */
  headers: Readonly<Record<string, string>>;
}

/** A barrier in front of a page. */
export interface Barrier {
  /** How it was recognized: a type of captcha, a header name, or a status. */
  name: string;
  /** The captcha to solve; undefined when only waiting may help. */
  captcha: Captcha | undefined;
  /** True when only the status indicates a barrier: the site may simply refuse the request. */
  perhapsFinal: boolean;
}

/** Headers with which vendors mark pages that they serve instead of the site's own: Cloudflare, AWS WAF, Vercel. */
const marks: Readonly<Record<string, RegExp>> = {
  'cf-mitigated': /challenge/,
  'x-amzn-waf-action': /challenge|captcha/,
  'x-vercel-mitigated': /challenge/,
};

/** Statuses with which sites turn bots away. */
const refusals: readonly number[] = [403, 405, 429, 503];

/** Captchas that replace the whole page, regardless of its status. */
const walls: readonly string[] = ['datadome', 'amazonWaf'];

/** Returns the barrier that blocks a page; undefined when the page itself was served. */
export function barrierOf(answer: DocumentResponse | undefined, captchas: readonly Captcha[]): Barrier | undefined {
  const open = captchas.filter(({ solved }) => !solved);
  const challenge = open.find(({ kind }) => kind?.interstitial);
  if (challenge) return of(challenge);
  const visible = open.find(({ invisible }) => !invisible);
  const mark = Object.entries(answer?.headers ?? {})
    .map(([name, value]) => ({ name: name.toLowerCase(), value }))
    .find(({ name, value }) => marks[name]?.test(value))?.name;
  const refused = answer !== undefined && refusals.includes(answer.status);
  if (visible && (mark !== undefined || refused || walls.includes(visible.type))) return of(visible);
  if (mark !== undefined) return { name: mark, captcha: undefined, perhapsFinal: false };
  return refused ? { name: String(answer.status), captcha: undefined, perhapsFinal: true } : undefined;
}

function of(captcha: Captcha): Barrier {
  return { name: captcha.type, captcha, perhapsFinal: false };
}
