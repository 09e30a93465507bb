/** The session of a REST job, which uses a pooled page or its own browser until the response is complete. */
import type { BrowserProcess } from '../../browser/processes/process.ts';
import type { ServiceError } from '../../base/errors.ts';
import { SessionLife } from './life.ts';
import { directoriesOf, noDirectories, type Session, type SessionFacts, type SessionDirectories } from './session.ts';

export class JobSession implements Session {
  readonly facts: SessionFacts;
  readonly life = new SessionLife();
  readonly numbConnected = 1;
  readonly running = true;
  readonly attachable = undefined;
  readonly files = undefined;
  readonly gone = this.life.ended.then(() => undefined);
  directories: SessionDirectories = noDirectories;

  /** @param ended called with the error when something other than the job ends the session, such as /kill */
  constructor(facts: SessionFacts, ended: (error: ServiceError) => void) {
    this.facts = facts;
    this.life.watch((event) => {
      if (event.type === 'ended' && event.error) ended(event.error);
    });
  }

  /** Records that the job has its own browser. */
  setBrowser(browser: BrowserProcess): void {
    this.directories = directoriesOf(browser);
  }

  /** Records that the job uses a page, until the result is disposed. */
  usePage(targetId: string): Disposable {
    this.life.pageOpened(targetId);
    return { [Symbol.dispose]: () => this.life.pageClosed(targetId) };
  }
}
