// Declares the part of the x11 package that is used here; the package has no types.

declare module 'x11' {
  import type { Socket } from 'node:net';

  type Callback<Value> = (error: Error | null, value: Value) => void;

  interface Client {
    atoms: { readonly CARDINAL: number };
    InternAtom(onlyIfExists: boolean, name: string, answer: Callback<number>): void;
    /** @param mode 0 replaces the property  @param format bits per unit */
    ChangeProperty(mode: 0, window: number, property: number, type: number, format: 32, data: number[]): void;
    GetProperty(
      remove: 0,
      window: number,
      property: number,
      type: 0,
      offset: number,
      length: number,
      answer: Callback<unknown>,
    ): void;
  }

  interface Display {
    readonly client: Client;
    readonly screen: readonly { readonly root: number }[];
  }

  /** Talks to a display over a connection; the callback is called once. */
  export function createClient(
    options: { display: string; stream: Socket; auth: { name: string; data: string } },
    connected: (error: Error | undefined, display: Display | undefined) => void,
  ): { on(event: 'error', listener: (error: Error) => void): void };
}
