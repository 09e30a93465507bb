/** Implements stopSessionRecording: ends the replay that replay=true began. */
import { operation } from '../run/operation.ts';

export const stopSessionRecording = operation<object>({
  async run({ session }) {
    const { stopReplay } = session.environment;
    const error = 'No replay is being recorded. Send the document with replay=true.';
    const told = stopReplay ? await stopReplay() : { error, url: null };
    return { success: told.error === null, ...told };
  },
});
