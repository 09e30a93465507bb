/** Reads, once for each executable, the identity that it reports without a window. */
import type { BrowserConnection } from '../../cdp/connection.ts';
import { type Identity, readIdentity } from './identity.ts';

/** A running browser. */
interface Running {
  readonly connection: BrowserConnection;
  close(): Promise<void>;
}

export class Identities<Executable extends { readonly path: string }> {
  readonly #start: (executable: Executable) => Promise<Running>;
  readonly #known = new Map<string, Promise<Identity>>();

  /** @param start starts an ordinary full browser without a window */
  constructor(start: (executable: Executable) => Promise<Running>) {
    this.#start = start;
  }

  /** @throws any error that `start` throws; the next call tries again */
  of(executable: Executable): Promise<Identity> {
    const { path } = executable;
    const known = this.#known.get(path);
    if (known) return known;
    const reading = this.#read(executable);
    this.#known.set(path, reading);
    reading.catch(() => this.#known.delete(path));
    return reading;
  }

  async #read(executable: Executable): Promise<Identity> {
    const browser = await this.#start(executable);
    try {
      return await readIdentity(browser.connection);
    } finally {
      await browser.close();
    }
  }
}
