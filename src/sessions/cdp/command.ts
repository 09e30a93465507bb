/** Declares what the commands beside Chromium's are made of, and what they may use. */
import * as v from 'valibot';
import type { Feature } from '../../base/account/features.ts';
import type { LiveViewRequest } from '../live/settings.ts';
import type { RecordingContext } from './recording-commands.ts';
import type { SavedProfile } from '../profiles/storage/profile-keeper.ts';
import type { AttachableSession } from '../lifecycle/session.ts';

/** What the plan of the client includes. */
export interface ClientPlan {
  has(feature: Feature): boolean;
  /** The sentence for a feature that it lacks. */
  missing(feature: Feature): string;
}

/** What a command may use of the connection that it arrived on. */
export interface CommandContext extends RecordingContext {
  session: AttachableSession;
  plan: ClientPlan;
  /** Public base address of sockets, without a trailing slash. */
  socketUrl: string;
  /** Longest time that a browser may be kept without clients, in milliseconds; 0 for no limit. */
  maxReconnectMs: number;
  /**
   * Solves the captcha of the page that the command was sent to; on a browser session that of its first page.
   * @param appearMs how long it may take to appear, in milliseconds
   */
  solveCaptcha(appearMs: number): Promise<CaptchaReport>;
  /** Id of the target that the command was sent to; on a browser session that of its first page. */
  targetId(): Promise<string | undefined>;
  /**
   * Makes a live view of the page that the command was sent to; on a browser session of its first page.
   * @throws ServiceError when the session ends, or has too many
   */
  openLive(request: LiveViewRequest): Promise<{ id: string; url: string }>;
  /**
   * Saves cookies and storage of the context of that page as a new stored profile.
   * @param name undefined for that of the session
   * @throws ServiceError with a sentence for the client
   */
  saveProfile(name: string | undefined): Promise<SavedProfile>;
  /** The same, in place of what a profile has. @throws ServiceError alike */
  refreshProfile(name: string | undefined): Promise<SavedProfile>;
  /** Ends a live view of the session. @returns false when it has none with this id that works */
  closeLive(id: string): boolean;
}

/** What became of the captcha of a page. */
export interface CaptchaReport {
  /** Undefined when there was none. */
  type: string | undefined;
  attempted: boolean;
  solved: boolean;
  /** Why it is not solved. */
  error: string | null;
}

export interface Command<Params extends v.GenericSchema = v.GenericSchema> {
  /** One line for the documentation. */
  summary: string;
  params: Params;
  run(context: CommandContext, params: v.InferOutput<Params>): Promise<object> | object;
  /** The result of a call that fails. */
  failed(error: string): object;
}

/** Lets the type of the parameters flow from their schema into the command. */
export const command = <Params extends v.GenericSchema>(entry: Command<Params>): Command<Params> => entry;

/** A time in milliseconds. */
export const milliseconds = v.pipe(
  v.number('must be a number of milliseconds'),
  v.finite('must be a finite number of milliseconds'),
  v.minValue(0, 'must not be negative'),
);
