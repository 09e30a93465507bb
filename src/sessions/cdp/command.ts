/** Declares the shape of the commands that the server adds to Chromium's, and what they may use. */
import * as v from 'valibot';
import type { Feature } from '../../base/account/features.ts';
import type { LiveViewRequest } from '../live/settings.ts';
import { ServiceError } from '../../base/errors.ts';
import type { ClientRecorder } from './last-moments.ts';
import type { ProfileKeeper } from '../profiles/storage/profile-keeper.ts';
import type { AttachableSession } from '../lifecycle/session.ts';

/** The features in the client's plan. */
export interface ClientPlan {
  has(feature: Feature): boolean;
  /** Returns the error message for a feature that the plan lacks. */
  missing(feature: Feature): string;
}

/** The parts of a connection that its commands may use. */
export interface CommandContext {
  session: AttachableSession;
  plan: ClientPlan;
  /** Public base URL of WebSockets, without a trailing slash. */
  socketUrl: string;
  /** Maximum time that a browser may be kept without clients, in milliseconds; 0 for no limit. */
  maxReconnectMs: number;
  keeper: ProfileKeeper;
  recorder: ClientRecorder;
  /** Returns the id of the target that the command was sent to; on a browser session, of its first page. */
  targetId(): Promise<string | undefined>;
  /** Like `targetId`, for a page. @throws Refusal when there is no page */
  page(): Promise<string>;
  /** Solves the captcha of that page. @param appearMs how long the captcha may take to appear, in milliseconds */
  solveCaptcha(appearMs: number): Promise<CaptchaReport>;
  /** Opens a live view of that page. @throws ServiceError when the session ends, or has too many live views */
  openLive(request: LiveViewRequest): Promise<{ id: string; url: string }>;
  /** Ends a live view of the session. @returns false when the session has no active live view with this id */
  closeLive(id: string): boolean;
}

/** The outcome of solving the captcha of a page. */
export interface CaptchaReport {
  /** Undefined when there was no captcha. */
  type: string | undefined;
  attempted: boolean;
  solved: boolean;
  /** Why the captcha is not solved. */
  error: string | null;
}

export interface Command<Params extends v.GenericSchema = v.GenericSchema> {
  /** One line for the documentation. */
  summary: string;
  params: Params;
  run(context: CommandContext, params: v.InferOutput<Params>): Promise<object> | object;
  /** Returns the result of a command that fails. */
  failed(error: string): object;
}

/** Infers the type of a command's parameters from their schema. */
export const command = <Params extends v.GenericSchema>(entry: Command<Params>): Command<Params> => entry;

/** Returns the result of a command; that of its failure when it throws a ServiceError. */
export async function orFailed(run: () => Promise<object>, failed: (error: string) => object): Promise<object> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return failed(error.message);
  }
}

/** A time in milliseconds. */
export const milliseconds = v.pipe(
  v.number('must be a number of milliseconds'),
  v.finite('must be a finite number of milliseconds'),
  v.minValue(0, 'must not be negative'),
);
