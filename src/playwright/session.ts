/** The session of a Playwright client: one client and the browser that was started for it. */
import { browserCrashed } from '../browsers/last-words.ts';
import { type SessionClient, SessionLife } from '../sessions/life.ts';
import type { Session, SessionFacts, SessionFiles } from '../sessions/session.ts';
import type { PlaywrightBrowser } from './launcher.ts';

/** Messages of Playwright's server that tell of a page, by their first words. */
const pageCreated = /^\{"guid":"[^"]*","method":"__create__","params":\{"type":"Page"/;
const pageDisposed = /^\{"guid":"(page@[^"]*)","method":"__dispose__"/;

export class PlaywrightSession implements Session {
  readonly facts: SessionFacts;
  readonly files: SessionFiles;
  readonly life = new SessionLife();
  readonly running = true;
  readonly attachable = undefined;
  readonly server: PlaywrightBrowser;
  readonly gone: Promise<void>;

  /** @param release gives back what the session held, such as its slot; called as soon as its end begins */
  constructor(facts: SessionFacts, server: PlaywrightBrowser, release: () => void) {
    this.facts = facts;
    // Playwright keeps the profile to itself.
    this.files = { userDataDir: undefined, isTempDataDir: true, scratchDir: server.scratchDirectory };
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

  /** The client connected; call the result when it has left, which ends the session. */
  connect(client: SessionClient): () => void {
    return this.life.connect(client, () => this.life.end(undefined));
  }

  /** Looks at a message to the client for the beginning and the end of pages. @param text its first bytes, or all */
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
    // A client may close its browser; only an end that nobody asked for is a crash.
    this.life.end(this.server.exitCode() === 0 ? undefined : browserCrashed(this.server.fatal()));
  }
}
