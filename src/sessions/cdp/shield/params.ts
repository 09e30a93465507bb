/** Parameters of a client's command, which may hold anything. */
export type Params = Readonly<Record<string, unknown>>;
