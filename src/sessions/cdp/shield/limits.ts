/** Bounds what the shield keeps and how long it waits; a session that needs more falls open. */

export const shieldLimits = {
  /** How long a session's messages wait until its contexts are known, in milliseconds; then they overtake them. */
  holdMs: 1_000,
  /** What waits on all sessions of a connection together, in bytes. */
  heldBytes: 16 * 2 ** 20,
  /**
   * How long the contexts of a document may take, in milliseconds. Pages that keep their main thread busy for a few
   * seconds are common, and none should be able to open the shield that way.
   */
  lookupMs: 10_000,
  /** How often a context is looked for. */
  attempts: 3,
  /** Frames of a session. */
  frames: 2_000,
  /** Isolated worlds of a session. */
  worlds: 100,
  /** Bindings of a session. */
  bindings: 1_000,
  /** Commands of a session whose answers tell of worlds, and that have none yet. */
  awaitedAnswers: 10_000,
  /** Console messages of a session that came before its first context was known; later ones are lost. */
  keptMessages: 1_000,
  /** Characters of those. */
  keptCharacters: 2 ** 20,
} as const;

/** A table like it, for tests that cannot wait that long. */
export type ShieldLimits = { readonly [Name in keyof typeof shieldLimits]: number };

/** Parameters of a client's command, which may hold anything. */
export type Params = Readonly<Record<string, unknown>>;

/** A session needs more of something than the shield keeps: it falls open. */
export class TooMany extends Error {
  constructor(what: string) {
    super(`The session has too many ${what}`);
  }
}
