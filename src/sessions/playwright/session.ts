/** Tracks the session of a Playwright client: one client and the browser that was started for it. */
import { browserCrashed } from '../../browser/processes/last-words.ts';
import { type SessionClient, SessionLife } from '../lifecycle/life.ts';
import type { Session, SessionFacts, SessionDirectories } from '../lifecycle/session.ts';
import type { PlaywrightBrowser } from './launcher.ts';

/** Match the beginning of messages in which Playwright's server announces a page, or its end. */
const pageCreated = /^\{"guid":"[^"]*","method":"__create__","params":\{"type":"Page"/;
const pageDisposed = /^\{"guid":"(page@[^"]*)","method":"__dispose__"/;

export class PlaywrightSession implements Session {
  readonly facts: SessionFacts;
  readonly directories: SessionDirectories;
  readonly life = new SessionLife();
  readonly running = true;
  readonly attachable = undefined;
  readonly files = undefined;
  readonly server: PlaywrightBrowser;
  readonly gone: Promise<void>;

  /** @param release releases what the session holds, such as its slot; called as soon as its end begins */
  constructor(facts: SessionFacts, server: PlaywrightBrowser, release: () => void) {
    this.facts = facts;
    // Playwright does not report the directory of the profile.
    this.directories = { userDataDir: undefined, isTempDataDir: true, scratchDir: server.scratchDirectory };
    this.server = server;
    this.gone = this.life.ended.then(() => server.close());
    this.life.watch(({ type }) => {
      if (type === 'ended') release();
    });
    server.gone.addEventListener('abort', () => this.#browserGone(), { once: true });
    if (server.gone.aborted) this.#browserGone();
  }

  get numbConnected(): number {
    return this.life.clients;
  }

  /** Adds the client. @returns the function to call when it has disconnected, which ends the session */
  connect(client: SessionClient): () => void {
    return this.life.connect(client, () => this.life.end(undefined));
  }

  /**
   * Notes pages that open or close, from a message to the client.
   * @param text the first bytes of the message, or all of it
   */
  sawServerText(text: string): void {
    if (pageCreated.test(text)) {
      const [guid] = /"page@[^"]*"/.exec(text) ?? [];
      if (guid !== undefined) this.life.pageOpened(guid.slice(1, -1));
      return;
    }
    const [, disposed] = pageDisposed.exec(text) ?? [];
    if (disposed !== undefined) this.life.pageClosed(disposed);
  }

  #browserGone(): void {
    // A browser that the client closed exits with code 0; any other end is a crash.
    this.life.end(this.server.exitCode() === 0 ? undefined : browserCrashed(this.server.fatal()));
  }
}
