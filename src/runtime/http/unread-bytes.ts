/** What lies in memory because clients have not read it yet: answers and messages of all connections together. */

export class UnreadBytes {
  /** Bytes beyond which no further call is taken. */
  readonly limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get tooMuch(): boolean {
    return this.#bytes > this.limit;
  }

  /** @param bytes negative when they have been taken, or are given up */
  add(bytes: number): void {
    this.#bytes += bytes;
  }
}
