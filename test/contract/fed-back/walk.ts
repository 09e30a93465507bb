// Feeds values that the server returned into its fields and into client libraries, and counts what does not arrive.

/** Takes values in one place, and returns what arrived there. */
export type Sinks<Value> = Readonly<Record<string, (values: readonly Value[]) => Promise<readonly unknown[]>>>;

export interface Walk {
  values: number;
  /** What was refused, or did not arrive as it was given. */
  refused: string[];
  /**
   * Feeds what each source returned into each sink.
   * @param expected what a sink should return for a value; undefined for a value that need not arrive
   */
  feed<Value>(
    sources: Readonly<Record<string, readonly Value[]>>,
    sinks: Sinks<Value>,
    expected: (value: Value) => unknown,
  ): Promise<void>;
}

export function startWalk(): Walk {
  const walk: Walk = {
    values: 0,
    refused: [],
    async feed(sources, sinks, expected) {
      for (const [source, values] of Object.entries(sources)) {
        if (values.length === 0) walk.refused.push(`${source} returned nothing`);
        for (const [sink, take] of Object.entries(sinks)) {
          walk.values += values.length;
          try {
            const arrived = new Set((await take(values)).map((one) => JSON.stringify(one)));
            const wanted = values.map(expected).filter((one) => one !== undefined);
            const lost = wanted.map((one) => JSON.stringify(one)).filter((one) => !arrived.has(one));
            walk.refused.push(
              ...lost.map(
                (one) => `${source} to ${sink}: ${one} did not arrive, but ${[...arrived].join().slice(0, 200)}`,
              ),
            );
          } catch (error) {
            walk.refused.push(`${source} to ${sink}: ${String(error).slice(0, 400)}`);
          }
        }
      }
    },
  };
  return walk;
}

/** A sink that takes one value at a time. */
export function each<Value>(take: (value: Value) => Promise<unknown>): Sinks<Value>[string] {
  return async (values) => {
    const arrived: unknown[] = [];
    for (const value of values) arrived.push(await take(value));
    return arrived;
  };
}
