/** The session of a job over REST: a page of the pool, or a browser to itself, for as long as its answer is made. */
import type { BrowserProcess } from '../browsers/process.ts';
import type { ServiceError } from '../errors.ts';
import { SessionLife } from './life.ts';
import { noFiles, type Session, type SessionFacts, type SessionFiles } from './session.ts';

export class JobSession implements Session {
  readonly facts: SessionFacts;
  readonly life = new SessionLife();
  readonly numbConnected = 1;
  readonly running = true;
  readonly attachable = undefined;
  readonly gone = this.life.ended.then(() => undefined);
  #files: SessionFiles = noFiles;

  /** @param ended called when others ended it, with their reason */
  constructor(facts: SessionFacts, ended: (error: ServiceError) => void) {
    this.facts = facts;
    this.life.watch((event) => {
      if (event.type === 'ended' && event.error) ended(event.error);
    });
  }

  get files(): SessionFiles {
    return this.#files;
  }

  /** It has a browser to itself. */
  hasBrowser({ space }: BrowserProcess): void {
    this.#files = {
      userDataDir: space.dataDirectory,
      isTempDataDir: space.dataIsTemporary,
      scratchDir: space.scratchDirectory,
    };
  }

  /** It works on a page, until the result is disposed. */
  hasPage(targetId: string): Disposable {
    this.life.pageOpened(targetId);
    return { [Symbol.dispose]: () => this.life.pageClosed(targetId) };
  }
}
