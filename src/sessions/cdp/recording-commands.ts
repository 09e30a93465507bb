/** Defines the commands that record the pages of a session as videos or as a replay (compatibility.mdx#recordings). */
import * as v from 'valibot';
import { ServiceError } from '../../base/errors.ts';
import { recordingLimits } from '../../base/limits.ts';

/** The parts of a connection that its recording commands need. */
export interface RecordingContext {
  /**
   * Starts recording the pages of the session, beginning with the page that the command was sent to.
   * @throws ServiceError with a message for the client
   */
  startRecording(options: { frameRate: number }): Promise<RecordingAddress>;
  /**
   * Ends the recording.
   * @returns the video of the page that the command was sent to
   * @throws ServiceError with a message for the client
   */
  stopRecording(options: { encoding: 'binary' | 'base64' }): Promise<RecordingAddress & { value: string }>;
  /** Ends the replay of the session. @throws ServiceError with a message for the client */
  stopReplay(): Promise<RecordingAddress>;
}

export interface RecordingAddress {
  recordingId: string;
  /** Where to fetch the recording, without a token. */
  url: string;
}

interface RecordingCommand<Params extends v.GenericSchema> {
  summary: string;
  params: Params;
  run(context: RecordingContext, params: v.InferOutput<Params>): Promise<object>;
  failed(error: string): object;
}

const command = <Params extends v.GenericSchema>(entry: RecordingCommand<Params>): RecordingCommand<Params> => entry;

/** Default frames per second. */
export const defaultFrameRate = 15;

const { framesPerSecond } = recordingLimits;
const rate = v.pipe(
  v.number(`must be a whole number from 1 to ${framesPerSecond}`),
  v.integer(`must be a whole number from 1 to ${framesPerSecond}`),
  v.minValue(1, `must be a whole number from 1 to ${framesPerSecond}`),
  v.maxValue(framesPerSecond, `must be a whole number from 1 to ${framesPerSecond}`),
);

export const recordingCommands = {
  'Browserless.startRecording': command({
    summary: 'Records the pages of the session as videos without sound; needs record=true on the connection.',
    params: v.strictObject({
      frameRate: v.optional(rate, defaultFrameRate),
      audio: v.optional(
        v.pipe(
          v.boolean('must be false'),
          v.check((audio) => !audio, 'must be false: Chromium may exit when a recording with sound stops'),
        ),
      ),
    }),
    run: (context, { frameRate }) => resultOf(() => context.startRecording({ frameRate }), notStarted),
    failed: (error) => notStarted(error),
  }),
  'Browserless.stopRecording': command({
    summary:
      'Ends the recording. value is the WebM video of the page, as a binary string or as base64 (encoding); url links to all videos.',
    params: v.strictObject({
      encoding: v.optional(v.picklist(['binary', 'base64'], 'must be "base64" or "binary"'), 'binary'),
    }),
    run: (context, { encoding }) => resultOf(() => context.stopRecording({ encoding }), notStopped),
    failed: (error) => notStopped(error),
  }),
  'Browserless.stopSessionRecording': command({
    summary: 'Ends the session replay that replay=true started; url links to it.',
    params: v.strictObject({}),
    run: (context) => resultOf(() => context.stopReplay(), notStarted),
    failed: (error) => notStarted(error),
  }),
} as const;

const notStarted = (error: string) => ({ error, recordingId: null, url: null });
const notStopped = (error: string) => ({ error, value: null, recordingId: null, url: null });

async function resultOf(run: () => Promise<object>, failed: (error: string) => object): Promise<object> {
  try {
    return { error: null, ...(await run()) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return failed(error.message);
  }
}
