/** Limits what the shield keeps and how long it waits; a session that needs more fails open. */

export const shieldLimits = {
  /**
   * How long a session's messages wait for its contexts, in milliseconds; after that, they are delivered without
   * waiting.
   */
  holdMs: 1_000,
  /** Messages held on all sessions of a connection together, in bytes. */
  heldBytes: 16 * 2 ** 20,
  /**
   * How long finding the contexts of a document may take, in milliseconds. Pages that keep their main thread busy for a
   * few seconds are common, and none should be able to break the shield that way.
   */
  lookupMs: 10_000,
  /** How many times a lookup of contexts is tried. */
  attempts: 3,
  /** Frames of a session. */
  frames: 2_000,
  /** Isolated worlds of a session. */
  worlds: 100,
  /** Bindings of a session. */
  bindings: 1_000,
  /** Pending commands of a session whose responses report worlds. */
  pendingResponses: 10_000,
  /** Console messages of a session that arrived before its first context was known; later ones are dropped. */
  keptMessages: 1_000,
  /** Characters of these messages. */
  keptCharacters: 2 ** 20,
} as const;

/** The type of such a table; tests that cannot wait that long pass their own. */
export type ShieldLimits = { readonly [Name in keyof typeof shieldLimits]: number };

/** Parameters of a client's command, which may contain anything. */
export type Params = Readonly<Record<string, unknown>>;

/** A session needs more of something than the shield keeps, so it fails open. */
export class ShieldLimitExceeded extends Error {
  constructor(what: string) {
    super(`The session has too many ${what}`);
  }
}
