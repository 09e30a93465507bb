/**
 * What the server gives to solving captchas: the solver that its operator has configured, with a limit for each caller,
 * one log line for each attempt, and figures.
 */
import { ServiceError } from '../../../../base/errors.ts';
import type { Payer } from '../../../../base/account/payer.ts';
import type { CaptchaHelp, CaptchaSolver } from '../help.ts';
import { SolverFailure } from '../help.ts';
import { startDeadline } from '../../../../base/runtime/deadline.ts';
import { now } from '../../../../base/runtime/machine.ts';
import type { Log } from '../../../../base/telemetry/log.ts';
import { captchaUnits, type Metrics } from '../../../../base/telemetry/metrics.ts';
import { type SolverAddress, solveTask } from './protocol.ts';

export interface CaptchaSettings {
  CAPTCHA_SOLVER_URL: string | undefined;
  CAPTCHA_SOLVER_KEY: string | undefined;
  /** How long the solver may take for one captcha, in milliseconds. */
  CAPTCHA_SOLVER_LIMIT_MS: number;
  /** Captchas that the solver gets from one caller in an hour; 0 for no limit. */
  CAPTCHA_SOLVER_MAX_PER_HOUR: number;
}

const hourMs = 3_600_000;

export class CaptchaSolving {
  readonly #address: SolverAddress | undefined;
  readonly #limitMs: number;
  readonly #perHour: number;
  readonly #metrics: Pick<Metrics, 'captchaTried'>;
  /** When each caller gave the solver its latest captchas. */
  readonly #asked = new Map<string, number[]>();

  constructor(settings: CaptchaSettings, metrics: Pick<Metrics, 'captchaTried'>) {
    const { CAPTCHA_SOLVER_URL: url, CAPTCHA_SOLVER_KEY: key } = settings;
    this.#address = url === undefined || key === undefined ? undefined : { url: url.replace(/(?<!\/)\/+$/, ''), key };
    this.#limitMs = settings.CAPTCHA_SOLVER_LIMIT_MS;
    this.#perHour = settings.CAPTCHA_SOLVER_MAX_PER_HOUR;
    this.#metrics = metrics;
  }

  /** What solving gets for one caller. @param payer whom attempts are counted for */
  helpFor(payer: Payer, log: Log): CaptchaHelp {
    const address = this.#address;
    const solver: CaptchaSolver | undefined = address && {
      solve: async (task, signal) => {
        requireLeft(payer);
        this.#count(await payer.label());
        payer.charge(captchaUnits);
        using deadline = startDeadline(this.#limitMs, () => this.#late(), [signal]);
        return await solveTask(address, task, deadline.signal);
      },
    };
    return {
      solver,
      attempted: ({ site, type, way, solved, code, ms }) => {
        this.#metrics.captchaTried({ type, way, solved });
        log.info('captcha.tried', { site, type, way, result: solved ? 'solved' : (code ?? 'not solved'), ms });
      },
    };
  }

  #late(): SolverFailure {
    return new SolverFailure(
      'SOLVER_TIMEOUT',
      `The captcha solver has not solved it within ${this.#limitMs} ms (SOLVER_TIMEOUT).`,
    );
  }

  /** @throws SolverFailure when the caller has used up its hour */
  #count(account: string): void {
    if (this.#perHour === 0) return;
    const time = now();
    const recent = (this.#asked.get(account) ?? []).filter((asked) => time - asked < hourMs);
    if (recent.length >= this.#perHour) {
      throw new SolverFailure(
        'SOLVER_LIMIT',
        `This token has given the captcha solver as many captchas as it may in an hour: ${this.#perHour} (SOLVER_LIMIT, CAPTCHA_SOLVER_MAX_PER_HOUR).`,
      );
    }
    this.#asked.set(account, [...recent, time]);
  }
}

/** @throws SolverFailure when the budget of units is used up */
function requireLeft(payer: Payer): void {
  try {
    payer.requireLeft();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new SolverFailure('SOLVER_LIMIT', `${error.message} (SOLVER_LIMIT)`);
  }
}
