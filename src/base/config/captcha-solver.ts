// Completes the settings of the solver of captchas, whose address and key go together.

/** Where CapSolver is: its own name for the key says which solver is meant. */
export const capsolverUrl = 'https://api.capsolver.com';

/**
 * @param values all settings; the address is set where only CapSolver's key was given
 * @param isGiven whether the environment or the command line has a name
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
    problems.push('CAPTCHA_SOLVER_URL needs CAPTCHA_SOLVER_KEY. Set the key of the solver, or leave the address out.');
  } else if (isGiven('CAPTCHA_SOLVER_KEY')) {
    problems.push('CAPTCHA_SOLVER_KEY needs CAPTCHA_SOLVER_URL. Set the address of the solver, or leave the key out.');
  } else {
    values.set('CAPTCHA_SOLVER_URL', capsolverUrl);
  }
}
