/** Allows at most one recording of a kind per session at a time, and ends it when the session ends. */
import type { DirectoryStore } from './directory-store.ts';
import { ServiceError } from '../../base/errors.ts';
import { orAborted, startDeadline } from '../../base/runtime/deadline.ts';
import type { AttachableSession } from '../lifecycle/session.ts';
import type { Log } from '../../base/telemetry/log.ts';
import type { Capture } from './recorded-page.ts';
import type { Recording } from './recording.ts';

/** Maximum time that a session's browser waits for its recording to end, in milliseconds. */
const stopTimeoutMs = 3_000;

export interface StartOptions {
  capture: Capture;
  /** The page that must be recorded; if undefined, pages are recorded as they open. */
  page?: string | undefined;
}

export class SessionRecordings {
  readonly #store: DirectoryStore;
  readonly #log: Log;
  /** The last recording of each session, from the moment it starts. */
  readonly #last = new WeakMap<AttachableSession, Promise<Recording>>();
  readonly #running = new Map<AttachableSession, Recording>();

  constructor(store: DirectoryStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** All running recordings. */
  get all(): Recording[] {
    return [...this.#running.values()];
  }

  /** The running recording of a session. */
  running(session: AttachableSession): Recording | undefined {
    return this.#running.get(session);
  }

  /** The last recording of a session; undefined when there was none, or it could not start. */
  last(session: AttachableSession): Promise<Recording | undefined> {
    return (this.#last.get(session) ?? Promise.resolve(undefined)).catch(() => undefined);
  }

  /** Forgets the last recording, so that `last` no longer returns it. */
  forget(session: AttachableSession): void {
    this.#last.delete(session);
  }

  /**
   * @param whenRunning returns the result, or throws, when a recording is already running
   * @throws ServiceError `bad-request` with the reason, `storage-full`, `launch-failed`, `session-ended`
   */
  async start(
    session: AttachableSession,
    options: StartOptions,
    whenRunning: (running: Recording) => Recording,
  ): Promise<Recording> {
    requireShown(session);
    const seen = this.#last.get(session);
    const before = await this.last(session);
    if (before && this.running(session) === before) return whenRunning(before);
    const problem = await this.#store.problem();
    if (problem !== undefined) throw new ServiceError('storage-full', `Recording is unavailable: ${problem}`);
    // Another client may have started a recording in the meantime.
    if (this.#last.get(session) !== seen) return this.start(session, options, whenRunning);
    if (session.life.ending) throw new ServiceError('session-ended', 'The session is ending.');
    // A secret may have been filled in since the first check.
    requireShown(session);
    const starting = this.#start(session, options);
    this.#last.set(session, starting);
    starting.catch(() => this.#last.delete(session));
    return starting;
  }

  async #start(session: AttachableSession, { capture, page }: StartOptions): Promise<Recording> {
    const log = this.#log;
    const recordings = await import('./recording.ts');
    const recording = await recordings.Recording.start({ session, store: this.#store, log, capture }, page).catch(
      (cause: unknown) => {
        if (cause instanceof ServiceError) throw cause;
        throw new ServiceError('bad-request', 'The page could not be recorded: it was closed or is not responding.', {
          cause,
        });
      },
    );
    this.#running.set(session, recording);
    const forget = session.life.beforeClose(async () => {
      using deadline = startDeadline(stopTimeoutMs, () => undefined, []);
      await orAborted(recording.stop(endOf(session)), deadline.signal).catch(() => {});
    });
    void recording.ended.then(() => {
      this.#running.delete(session);
      forget();
    });
    const { kind } = capture;
    log.info('recording.started', { recording: recording.id, kind, session: session.facts.id });
    // The session may have ended in the meantime, in which case `beforeClose` callbacks no longer run.
    if (session.life.ending || session.process.connection.closed.aborted) await recording.stop(endOf(session));
    return recording;
  }
}

function endOf({ life, process }: AttachableSession): string {
  if (process.connection.closed.aborted) return 'The browser exited.';
  return life.ending ? 'The session ended.' : 'The browser was closed.';
}

/** @throws ServiceError `bad-request` */
function requireShown({ hidden }: AttachableSession): void {
  if (!hidden) return;
  throw new ServiceError(
    'bad-request',
    'loadSecret has filled in a secret in this browser, so it can no longer be recorded.',
  );
}
