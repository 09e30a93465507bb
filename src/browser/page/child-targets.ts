/**
 * Attaches to the child targets of a page: out-of-process iframes and workers, but not popups. Settings, rules, records
 * and frames share these sessions, so each child is attached only once.
 */
import { networkBuffers } from '../processes/page-target.ts';
import { attachToChildren, type ChildSetup, type ChildTarget, ignoreFailures } from '../cdp/auto-attach.ts';
import type { CdpSession } from '../cdp/connection.ts';
import type { Page } from './page.ts';

const known = new WeakMap<Page, ChildTargets>();

/** Returns the children of a page; the same object for the same page. */
export function childTargetsOf(page: Page): ChildTargets {
  let targets = known.get(page);
  if (!targets) known.set(page, (targets = new ChildTargets(page)));
  return targets;
}

class ChildTargets {
  readonly #page: Page;
  readonly #children = new Set<ChildTarget>();
  readonly #setups = new Set<ChildSetup>();
  #attached: Promise<unknown> | undefined;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Children attached now; empty before the first `attach`. */
  get children(): readonly ChildTarget[] {
    return [...this.#children];
  }

  /** Attaches to every child, recursively (Target.setAutoAttach). Later calls return the same promise. */
  attach(): Promise<unknown> {
    return (this.#attached ??= this.#attachTo(this.#page.session));
  }

  /** Applies the setup to all present children, and to new ones until `stop` is called. */
  apply(setup: ChildSetup): { ready: Promise<unknown>; stop: () => void } {
    this.#setups.add(setup);
    for (const child of this.#children) ignoreFailures(setup(child));
    return { ready: this.attach(), stop: () => this.#setups.delete(setup) };
  }

  #attachTo(parent: CdpSession): Promise<unknown> {
    const { ready, stop } = attachToChildren(parent, (child) => {
      const { session } = child;
      this.#children.add(child);
      session.closed.addEventListener('abort', () => this.#children.delete(child), { once: true });
      return [
        // Without the Network domain, a worker ignores extra headers, and its requests have no resource type.
        session.send('Network.enable', { ...networkBuffers }),
        ...[...this.#setups].flatMap((setup) => setup(child)),
        this.#attachTo(session),
      ];
    });
    this.#page.undo(stop);
    return ready;
  }
}
