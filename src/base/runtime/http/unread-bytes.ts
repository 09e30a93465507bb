/** Counts the bytes in memory that clients have not read yet: responses and messages of all connections together. */

export class UnreadBytes {
  /** Bytes above which further requests are refused. */
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

  /** @param bytes negative when the client has read them, or they are discarded */
  add(bytes: number): void {
    this.#bytes += bytes;
  }
}
