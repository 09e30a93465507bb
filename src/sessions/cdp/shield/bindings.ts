/**
 * Puts the functions that a client exposes into each new context. The browser does that only while `Runtime` is enabled;
 * here it happens a moment after the document has begun, and calls of its first scripts wait for it.
 */
import { type Params, type ShieldLimits, TooMany } from './limits.ts';
import type { OwnCommands } from './own-commands.ts';

interface Binding {
  /** The isolated world that it is for; undefined for every context. */
  world: string | undefined;
  /** The script that keeps early calls; undefined for one of a world, which pages cannot call. */
  script: Promise<string | undefined> | undefined;
}

export class Bindings {
  readonly #sessionId: string;
  readonly #own: OwnCommands;
  readonly #limits: ShieldLimits;
  readonly #known = new Map<string, Binding>();

  constructor(sessionId: string, own: OwnCommands, limits: ShieldLimits) {
    this.#sessionId = sessionId;
    this.#own = own;
    this.#limits = limits;
  }

  /** Notes a binding that a client adds with these parameters. @throws TooMany */
  add({ name, executionContextName, executionContextId }: Params, inDocuments: boolean): void {
    // One of a single context ends with it.
    if (typeof name !== 'string' || executionContextId !== undefined || this.#known.has(name)) return;
    if (this.#known.size >= this.#limits.bindings) throw new TooMany('bindings');
    const world = typeof executionContextName === 'string' ? executionContextName : undefined;
    const script = inDocuments && world === undefined ? this.#keepEarlyCalls(name) : undefined;
    this.#known.set(name, { world, script });
  }

  remove(name: string): void {
    const binding = this.#known.get(name);
    this.#known.delete(name);
    void this.#removeScript(binding);
  }

  /** Ends all, as `Runtime.disable` does. */
  removeAll(): void {
    for (const name of this.#known.keys()) {
      this.#own.tell(this.#sessionId, 'Runtime.removeBinding', { name });
      this.remove(name);
    }
  }

  /** Puts what belongs there into a new context. */
  addTo(executionContextId: number, world: string | undefined): void {
    for (const [name, binding] of this.#known) {
      if (binding.world !== undefined && binding.world !== world) continue;
      this.#own.tell(this.#sessionId, 'Runtime.addBinding', { name, executionContextId });
    }
  }

  async #keepEarlyCalls(name: string): Promise<string | undefined> {
    const source = `(${keepCalls})(${JSON.stringify(name)})`;
    try {
      const added = await this.#own.send(this.#sessionId, 'Page.addScriptToEvaluateOnNewDocument', { source });
      return added.identifier;
    } catch {
      // The session has ended, or shows something without documents.
      return undefined;
    }
  }

  async #removeScript(binding: Binding | undefined): Promise<void> {
    const identifier = await binding?.script;
    if (identifier === undefined) return;
    this.#own.tell(this.#sessionId, 'Page.removeScriptToEvaluateOnNewDocument', { identifier });
  }
}

/**
 * Runs in the page: stands where the client's function will be, keeps what it is called with, and hands that over when
 * the browser puts the function there.
 */
const keepCalls = `(name) => {
  const kept = [];
  let real;
  const early = (payload) => void (real ? real(payload) : kept.push(payload));
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: true,
    get: () => early,
    set(value) {
      real = value;
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
      // The browser listens to the function only after it has put it here.
      queueMicrotask(() => {
        for (const payload of kept.splice(0)) value(payload);
      });
    },
  });
}`;
