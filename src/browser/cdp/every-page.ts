/** Sets up every page of a browser through the server's own sessions. */
import { attachToChildren, type ChildSetup, type ChildTarget, ignoreFailures } from './auto-attach.ts';
import type { CdpSession } from './connection.ts';

const known = new WeakMap<CdpSession, EveryPage>();

class EveryPage {
  readonly #setups: ChildSetup[] = [];
  readonly #children = new Set<ChildTarget>();
  readonly #ready: Promise<unknown>;

  constructor(root: CdpSession) {
    this.#ready = attachToChildren(root, (child) => {
      this.#children.add(child);
      child.session.closed.addEventListener('abort', () => this.#children.delete(child), { once: true });
      return this.#setups.flatMap((setup) => setup(child));
    }).ready;
  }

  async add(setups: readonly ChildSetup[]): Promise<void> {
    this.#setups.push(...setups);
    for (const child of this.#children) ignoreFailures(setups.flatMap((setup) => setup(child)));
    await this.#ready;
  }
}

/**
 * Attaches to every present and future page of a browser until the connection closes (Target.setAutoAttach). New pages
 * start running only when all setups have been applied. Later calls add to the setups of earlier ones.
 * @param root the browser session of one of the server's connections
 */
export async function onEveryPage(root: CdpSession, setups: readonly ChildSetup[]): Promise<void> {
  let pages = known.get(root);
  if (!pages) known.set(root, (pages = new EveryPage(root)));
  await pages.add(setups);
}
