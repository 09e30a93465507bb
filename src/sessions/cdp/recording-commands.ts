/** Defines the commands that record the pages of a session as videos or as a replay (compatibility.mdx#recordings). */
import * as v from 'valibot';
import { recordingLimits } from '../../base/limits.ts';
import { command, orFailed } from './command.ts';

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
    run: ({ recorder, page }, options) => resultOf(async () => recorder.start(await page(), options), notStarted),
    failed: (error) => notStarted(error),
  }),
  'Browserless.stopRecording': command({
    summary:
      'Ends the recording. value is the WebM video of the page, as a binary string or as base64 (encoding); url links to all videos.',
    params: v.strictObject({
      encoding: v.optional(v.picklist(['binary', 'base64'], 'must be "base64" or "binary"'), 'binary'),
    }),
    run: ({ recorder, page }, options) => resultOf(async () => recorder.stop(await page(), options), notStopped),
    failed: (error) => notStopped(error),
  }),
  'Browserless.stopSessionRecording': command({
    summary: 'Ends the session replay that replay=true started; url links to it.',
    params: v.strictObject({}),
    run: ({ recorder }) => resultOf(() => recorder.stopReplay(), notStarted),
    failed: (error) => notStarted(error),
  }),
} as const;

const notStarted = (error: string) => ({ error, recordingId: null, url: null });
const notStopped = (error: string) => ({ error, value: null, recordingId: null, url: null });

const resultOf = (run: () => Promise<object>, failed: (error: string) => object) =>
  orFailed(async () => ({ error: null, ...(await run()) }), failed);
