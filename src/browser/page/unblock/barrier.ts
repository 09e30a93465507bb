/** Recognises what a site puts before a page for visitors that it takes for programs. */
import type { Captcha } from '../captcha/look.ts';

/** What the main document was answered with. */
export interface DocumentAnswer {
  status: number;
  /** Names in any case. */
  headers: Readonly<Record<string, string>>;
}

/** What stands before the page. */
export interface Barrier {
  /** What it was recognised by: a kind of captcha, a header, or a status. */
  name: string;
  /** The captcha to solve; undefined where nothing but waiting may help. */
  captcha: Captcha | undefined;
  /** True when only the status says so: the site may simply refuse. */
  perhapsFinal: boolean;
}

/** Headers by which vendors mark their own page in place of the site's: Cloudflare, AWS WAF, Vercel. */
const marks: Readonly<Record<string, RegExp>> = {
  'cf-mitigated': /challenge/,
  'x-amzn-waf-action': /challenge|captcha/,
  'x-vercel-mitigated': /challenge/,
};

/** Statuses with which sites turn programs away. */
const refusals: readonly number[] = [403, 405, 429, 503];

/** Captchas that stand in place of the page, whatever its status. */
const walls: readonly string[] = ['datadome', 'amazonWaf'];

/** The barrier before a page; undefined for a page that is there. */
export function barrierOf(answer: DocumentAnswer | undefined, captchas: readonly Captcha[]): Barrier | undefined {
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
