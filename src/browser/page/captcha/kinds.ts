/**
 * Lists the kinds of captchas: how to recognize each kind, which field holds its token, and what solvers call the task.
 * Everything else about kinds is derived from this table.
 */

/** The kinds that can be detected, with their names in BrowserQL (CaptchaTypes). */
export const captchaTypes = [
  'akamai',
  'amazonWaf',
  'capy',
  'cloudflare',
  'datadome',
  'friendlyCaptcha',
  'geetest',
  'hcaptcha',
  'lemin',
  'mtcaptcha',
  'normal',
  'recaptcha',
  'recaptchaV3',
] as const;

export type CaptchaType = (typeof captchaTypes)[number];

/**
 * Task names at solvers: most use those of 2Captcha and Anti-Captcha, CapSolver has its own; '' for a task that
 * CapSolver does not have.
 */
export interface TaskNames {
  readonly standard: string;
  readonly capsolver: string;
}

export interface CaptchaKind {
  readonly type: CaptchaType;
  /** Matches the start of the URL of the vendor's frame; the group `key` is the site key. */
  readonly frame?: RegExp;
  /** Matches the URL of a script that must be in the page; the group `key` is the site key. */
  readonly script?: RegExp;
  /** Selector of elements, one of which must be in the page in addition to the script; its data-sitekey is the key. */
  readonly elements?: string;
  /**
   * Matches text that an inline script of the page must contain, in addition to the script; the group `key` is the key.
   */
  readonly inline?: RegExp;
  /** Name of the field that holds the token. */
  readonly field?: string;
  /** Name of the vendor's global object, whose functions lead to the options of widgets. */
  readonly api?: string;
  /** True for a frame with a checkbox that a click may solve. */
  readonly checkbox?: true;
  /**
   * True for a challenge page that passes automatically, or after a click on its checkbox, and then loads the actual
   * page.
   */
  readonly interstitial?: true;
  readonly task?: TaskNames;
  /** The task of the vendor's enterprise edition. */
  readonly enterpriseTask?: TaskNames;
}

const recaptchaFrame =
  /^https:\/\/(?:www\.)?(?:google\.com|recaptcha\.net)\/recaptcha\/(?:api2|enterprise)\/anchor\?(?:.*&)?k=(?<key>[\w-]{1,200})/;

/** In order of detection: the first kind that matches a frame determines the frame's type. */
export const captchaKinds: readonly CaptchaKind[] = [
  {
    // The badge of version 3 has the same frame as version 2; only the page's script has the key in its URL.
    type: 'recaptchaV3',
    frame: recaptchaFrame,
    script: /\/recaptcha\/(?:api|enterprise)\.js\?(?:.*&)?render=(?<key>(?!explicit\b)[\w-]{6,200})/,
    field: 'g-recaptcha-response',
    task: { standard: 'RecaptchaV3TaskProxyless', capsolver: 'ReCaptchaV3TaskProxyLess' },
  },
  {
    type: 'recaptcha',
    frame: recaptchaFrame,
    field: 'g-recaptcha-response',
    checkbox: true,
    task: { standard: 'RecaptchaV2TaskProxyless', capsolver: 'ReCaptchaV2TaskProxyLess' },
    enterpriseTask: { standard: 'RecaptchaV2EnterpriseTaskProxyless', capsolver: 'ReCaptchaV2EnterpriseTaskProxyLess' },
  },
  {
    type: 'hcaptcha',
    frame: /^https:\/\/[\w.-]*\bhcaptcha\.com\/captcha\/[^#]*#(?=.*\bframe=checkbox\b).*\bsitekey=(?<key>[\w-]{1,200})/,
    field: 'h-captcha-response',
    api: 'hcaptcha',
    checkbox: true,
    task: { standard: 'HCaptchaTaskProxyless', capsolver: '' },
  },
  {
    type: 'cloudflare',
    script: /\/cdn-cgi\/challenge-platform\/(?:.*\/)?orchestrate\//,
    inline: /\b_cf_chl_opt\s*=\s*\{/,
    interstitial: true,
    checkbox: true,
  },
  {
    type: 'cloudflare',
    // bounded: maxAddressCharacters
    frame: /^https:\/\/challenges\.cloudflare\.com\/.*\/turnstile\/(?:.*\/)?(?<key>\dx[\w-]{1,200})\//,
    field: 'cf-turnstile-response',
    api: 'turnstile',
    checkbox: true,
    task: { standard: 'TurnstileTaskProxyless', capsolver: 'AntiTurnstileTaskProxyLess' },
  },
  { type: 'datadome', frame: /^https:\/\/geo\.captcha-delivery\.com\/(?:captcha|interstitial)\b/ },
  {
    type: 'amazonWaf',
    script: /^https:\/\/[\w.-]+\.captcha\.awswaf\.com\/(?:.*\/)?captcha\.js/,
    inline: /\bgokuProps\s*=\s*\{[^}]{0,300}"key"\s*:\s*"(?<key>[^"]{1,2000})"/,
  },
  {
    type: 'geetest',
    script: /^https:\/\/gcaptcha4\.geetest\.com\/load\?(?:.*&)?captcha_id=(?<key>\w{1,64})/,
    elements: '.geetest_captcha',
    field: 'geetest_validate',
  },
  {
    type: 'geetest',
    script: /^https:\/\/[\w.-]+\.geetest\.com\//,
    elements: '.geetest_holder, .geetest_radar_tip',
    field: 'geetest_validate',
  },
  {
    type: 'friendlyCaptcha',
    script: /\bfriendly-challenge\b|\bfriendlycaptcha\b/,
    elements: '.frc-captcha',
    field: 'frc-captcha-solution',
    task: { standard: 'FriendlyCaptchaTaskProxyless', capsolver: '' },
  },
  {
    type: 'capy',
    script: /^https:\/\/[\w.-]+\.capy\.me\/puzzle\/get_js\/?\?(?:.*&)?k=(?<key>[\w-]{1,200})/,
    elements: '.capy-captcha',
    field: 'capy_captchakey',
  },
  {
    type: 'mtcaptcha',
    script: /^https:\/\/service\.mtcaptcha\.com\//,
    elements: '.mtcaptcha',
    inline: /\bmtcaptchaConfig\s*=\s*\{[^}]{0,300}\bsitekey["']?\s*:\s*["'](?<key>[^"']{1,200})/,
    field: 'mtcaptcha-verifiedtoken',
    task: { standard: 'MtCaptchaTaskProxyless', capsolver: 'MtCaptchaTaskProxyLess' },
  },
  {
    type: 'lemin',
    script: /^https:\/\/api\.leminnow\.com\/captcha\/v1\/cropped\/(?<key>[\w-]{1,200})\/js/,
    elements: '#lemin-cropped-captcha',
  },
  { type: 'akamai', elements: '#sec-if-cpt-container', script: /\/_sec\/cp_challenge\//, interstitial: true },
];

/** The task for letters in an image. */
export const imageTask: TaskNames = { standard: 'ImageToTextTask', capsolver: 'ImageToTextTask' };

/**
 * Keys that vendors publish for tests; their widgets accept every visitor: reCAPTCHA v2, hCaptcha (three), Turnstile.
 */
export const testKeys =
  /^(?:6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI|[123]0000000-ffff-ffff-ffff-00000000000[123]|[123]x0{20}(?:AA|AB|BB|FF))$/;

/** How much of a frame's URL is matched, in characters: pages choose these URLs, which can be megabytes long. */
const maxAddressCharacters = 4_000;

/** Matches a frame's URL against a kind; undefined when it does not match. */
export function matchFrame({ frame }: CaptchaKind, address: string): RegExpExecArray | undefined {
  return frame?.exec(address.slice(0, maxAddressCharacters)) ?? undefined;
}

/** True for the URL of an invisible widget, which asks nothing of the visitor until the page starts it. */
export const isInvisible = (address: string): boolean =>
  /[?&#]size=invisible\b/.test(address.slice(0, maxAddressCharacters));

/** The type of the widget whose frame has this URL; undefined for any other frame, and for invisible widgets. */
export function typeOfFrame(address: string): CaptchaType | undefined {
  if (isInvisible(address)) return undefined;
  // By its URL alone, a reCAPTCHA frame is treated as version 2: the frame of version 3 is invisible.
  return captchaKinds.find((kind) => kind.type !== 'recaptchaV3' && matchFrame(kind, address))?.type;
}
