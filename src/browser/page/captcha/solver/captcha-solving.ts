/**
 * Provides the solver that the operator has configured, with a limit for each account, and records each attempt in the
 * log and the metrics.
 */
import { ServiceError } from '../../../../base/errors.ts';
import type { Payer } from '../../../../base/account/payer.ts';
import type { CaptchaHelp, CaptchaSolver } from '../help.ts';
import { SolverFailure } from '../help.ts';
import { startDeadline } from '../../../../base/runtime/deadline.ts';
import { now } from '../../../../base/runtime/machine.ts';
import type { Log } from '../../../../base/telemetry/log.ts';
import { captchaUnits, type Metrics } from '../../../../base/telemetry/metrics.ts';
import type { SolverAddress } from './protocol.ts';

export interface CaptchaSettings {
  CAPTCHA_SOLVER_URL: string | undefined;
  CAPTCHA_SOLVER_KEY: string | undefined;
  /** How long the solver may take for one captcha, in milliseconds. */
  CAPTCHA_SOLVER_LIMIT_MS: number;
  /** Captchas that one account may send to the solver per hour; 0 for no limit. */
  CAPTCHA_SOLVER_MAX_PER_HOUR: number;
}

const hourMs = 3_600_000;

export class CaptchaSolving {
  readonly #address: SolverAddress | undefined;
  readonly #limitMs: number;
  readonly #perHour: number;
  readonly #metrics: Pick<Metrics, 'captchaTried'>;
  /** When each account sent its recent captchas to the solver. */
  readonly #asked = new Map<string, number[]>();

  constructor(settings: CaptchaSettings, metrics: Pick<Metrics, 'captchaTried'>) {
    const { CAPTCHA_SOLVER_URL: url, CAPTCHA_SOLVER_KEY: key } = settings;
    this.#address = url === undefined || key === undefined ? undefined : { url: url.replace(/(?<!\/)\/+$/, ''), key };
    this.#limitMs = settings.CAPTCHA_SOLVER_LIMIT_MS;
    this.#perHour = settings.CAPTCHA_SOLVER_MAX_PER_HOUR;
    this.#metrics = metrics;
  }

  /** Provides what captcha solving needs for one account. @param payer the account that attempts are charged to */
  helpFor(payer: Payer, log: Log): CaptchaHelp {
    const address = this.#address;
    const solver: CaptchaSolver | undefined = address && {
      solve: async (task, signal) => {
        requireLeft(payer);
        this.#count(await payer.label());
        payer.charge(captchaUnits);
        using deadline = startDeadline(this.#limitMs, () => this.#timeoutError(), [signal]);
        const { solveTask } = await import('./protocol.ts');
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

  #timeoutError(): SolverFailure {
    return new SolverFailure(
      'SOLVER_TIMEOUT',
      `The solver did not solve the captcha within ${this.#limitMs} ms (SOLVER_TIMEOUT).`,
    );
  }

  /** @throws SolverFailure when the account has reached its hourly limit */
  #count(account: string): void {
    if (this.#perHour === 0) return;
    const time = now();
    const recent = (this.#asked.get(account) ?? []).filter((asked) => time - asked < hourMs);
    if (recent.length >= this.#perHour) {
      throw new SolverFailure(
        'SOLVER_LIMIT',
        `This token has reached its limit of ${this.#perHour} captchas per hour (SOLVER_LIMIT, CAPTCHA_SOLVER_MAX_PER_HOUR).`,
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
