/** A session needs more of something than the shield keeps: it falls open. */
export class TooMany extends Error {
  constructor(what: string) {
    super(`The session has too many ${what}`);
  }
}
