/** A browser process that many jobs or virtual browsers share: counts them, and determines when it is unfit or worn. */
import type { BrowserProcess } from '../process.ts';
import { watchPulse } from './pulse.ts';
import { type Wear, WearMeter } from './wear.ts';

export abstract class SharedProcess {
  readonly process: BrowserProcess;
  /** Called when the last user has left, unless it is being replaced. */
  empty = (): void => {};
  readonly #meter: WearMeter;
  readonly #retiring = new AbortController();
  /** Aborted when it accepts nothing new, or has exited. */
  readonly retiring = this.#retiring.signal;
  readonly #unfit = new AbortController();
  /** Aborted when it has exited or no longer responds: a request that still waits for it will not be served. */
  readonly unfit = this.#unfit.signal;
  #active = 0;
  #retired: PromiseWithResolvers<void> | undefined;

  constructor(process: BrowserProcess, wear: Wear) {
    this.process = process;
    this.#meter = new WearMeter(process, wear);
    const gone = () => {
      this.#retiring.abort(process.gone.reason);
      this.#unfit.abort(process.gone.reason);
      this.#retired?.resolve();
    };
    process.gone.addEventListener('abort', gone, { once: true });
    watchPulse(
      process.connection,
      () => this.#active > 0,
      () => this.setUnfit('the browser is not responding'),
      () => void process.close(),
    );
  }

  /** Number of jobs or virtual browsers that are using it. */
  get active(): number {
    return this.#active;
  }

  /** Why it should be replaced; undefined while it is usable. */
  get worn(): string | undefined {
    return this.#meter.worn;
  }

  /** Accepts nothing new; closes when the last user has left. */
  async retire(): Promise<void> {
    this.#retired ??= Promise.withResolvers();
    this.#retiring.abort(new Error('the browser is being replaced'));
    if (this.#active === 0 || this.process.gone.aborted) this.#retired.resolve();
    await this.#retired.promise;
    await this.process.close();
  }

  protected setUnfit(reason: string): void {
    this.#unfit.abort(new Error(reason));
  }

  /** Counts a user until `leave` is called, or until `start` fails. */
  protected async enter<T>(start: () => Promise<T>): Promise<T> {
    this.#active++;
    this.#meter.jobBegins();
    try {
      return await start();
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  protected leave(): void {
    this.#meter.jobEnds();
    this.#active--;
    if (this.#active > 0) return;
    if (this.#retired) this.#retired.resolve();
    else this.empty();
  }
}
