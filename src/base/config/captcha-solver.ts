// Completes the captcha-solver settings: URL and key belong together.

/** CapSolver's URL, used when only CAPSOLVER_API_KEY is set: that name implies the solver. */
export const capsolverUrl = 'https://api.capsolver.com';

/**
 * @param values all settings; the URL is filled in when only CapSolver's key is set
 * @param isGiven whether the environment or the command line sets the name
 */
export function completeCaptchaSolver(
  values: Map<string, unknown>,
  isGiven: (name: string) => boolean,
  problems: string[],
): void {
  const hasUrl = values.get('CAPTCHA_SOLVER_URL') !== undefined;
  const hasKey = values.get('CAPTCHA_SOLVER_KEY') !== undefined;
  if (hasUrl === hasKey) return;
  if (!hasKey) {
    problems.push("CAPTCHA_SOLVER_URL needs CAPTCHA_SOLVER_KEY. Set the solver's key, or remove the URL.");
  } else if (isGiven('CAPTCHA_SOLVER_KEY')) {
    problems.push("CAPTCHA_SOLVER_KEY needs CAPTCHA_SOLVER_URL. Set the solver's URL, or remove the key.");
  } else {
    values.set('CAPTCHA_SOLVER_URL', capsolverUrl);
  }
}
