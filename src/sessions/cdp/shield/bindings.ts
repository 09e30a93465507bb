/**
 * Adds the functions that a client exposes to each new context. The browser does that only while `Runtime` is enabled;
 * here it happens a moment after the document has started, and calls from its first scripts wait until then.
 */
import { type Params, type ShieldLimits, ShieldLimitExceeded } from './limits.ts';
import type { OwnCommands } from './own-commands.ts';

interface Binding {
  /** The isolated world of the binding; undefined for a binding in every context. */
  world: string | undefined;
  /** The script that queues early calls; undefined for a binding of a world, which pages cannot call. */
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

  /** Records a binding that a client adds with these parameters. @throws ShieldLimitExceeded */
  add({ name, executionContextName, executionContextId }: Params, inDocuments: boolean): void {
    // A binding of a single context ends with that context.
    if (typeof name !== 'string' || executionContextId !== undefined || this.#known.has(name)) return;
    if (this.#known.size >= this.#limits.bindings) throw new ShieldLimitExceeded('bindings');
    const world = typeof executionContextName === 'string' ? executionContextName : undefined;
    const script = inDocuments && world === undefined ? this.#keepEarlyCalls(name) : undefined;
    this.#known.set(name, { world, script });
  }

  remove(name: string): void {
    const binding = this.#known.get(name);
    this.#known.delete(name);
    void this.#removeScript(binding);
  }

  /** Removes all bindings, as `Runtime.disable` does. */
  removeAll(): void {
    for (const name of this.#known.keys()) {
      this.#own.sendAndForget(this.#sessionId, 'Runtime.removeBinding', { name });
      this.remove(name);
    }
  }

  /** Adds the matching bindings to a new context. */
  addTo(executionContextId: number, world: string | undefined): void {
    for (const [name, binding] of this.#known) {
      if (binding.world !== undefined && binding.world !== world) continue;
      this.#own.sendAndForget(this.#sessionId, 'Runtime.addBinding', { name, executionContextId });
    }
  }

  async #keepEarlyCalls(name: string): Promise<string | undefined> {
    const source = `(${keepCalls})(${JSON.stringify(name)})`;
    try {
      const added = await this.#own.send(this.#sessionId, 'Page.addScriptToEvaluateOnNewDocument', { source });
      return added.identifier;
    } catch {
      // The session has ended, or its target has no documents.
      return undefined;
    }
  }

  async #removeScript(binding: Binding | undefined): Promise<void> {
    const identifier = await binding?.script;
    if (identifier === undefined) return;
    this.#own.sendAndForget(this.#sessionId, 'Page.removeScriptToEvaluateOnNewDocument', { identifier });
  }
}

/**
 * Runs in the page as a placeholder for the client's function: queues the payloads of early calls, and passes them to
 * the function when the browser adds it.
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
