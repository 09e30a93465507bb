/**
 * Implements liveURL, a link that lets a person watch and use the current page, and stopSessionRecording, which ends
 * the replay that replay=true started.
 */
import { liveViewLimits } from '../../../base/limits.ts';
import { givesArgument } from '../language/selection.ts';
import { type Maybe, operation } from '../run/operation.ts';
import { badArgument } from '../run/step-error.ts';
import { cannotKeep, keepAliveMs } from './windows.ts';

interface LiveArgs {
  timeout?: Maybe<number>;
  interactable?: Maybe<boolean>;
  type?: Maybe<'jpeg' | 'png'>;
  quality?: Maybe<number>;
  resizable?: Maybe<boolean>;
  showBrowserInterface?: Maybe<boolean>;
  instructions?: Maybe<string>;
}

export const liveURL = operation<LiveArgs>({
  // `timeout` is how long the link works.
  ownTimeout: true,
  async run({ args, session, page, info, step }) {
    const { type, quality, instructions } = args;
    const timeout = keepAliveMs(args.timeout);
    if (typeof quality === 'number' && !(quality >= 1 && quality <= 100)) {
      throw badArgument(`"quality" must be 1 to 100, got ${quality}.`);
    }
    const { instructionsCharacters } = liveViewLimits;
    if ((instructions?.length ?? 0) > instructionsCharacters) {
      throw badArgument(`"instructions" must have at most ${instructionsCharacters} characters.`);
    }
    if (!session.environment.openLive) throw badArgument(cannotKeep);
    const request = {
      timeout,
      interactive: args.interactable ?? true,
      resizable: args.resizable ?? true,
      // The schema's default of 100 suits only pages at rest: moving pages would stutter.
      quality: givesArgument(info, 'quality') ? (quality ?? undefined) : undefined,
      type: type ?? 'jpeg',
      showBrowserInterface: args.showBrowserInterface ?? false,
      instructions: instructions ?? undefined,
    };
    return session.environment.openLive(page.target.targetId, request, step.signal);
  },
});

export const stopSessionRecording = operation<object>({
  async run({ session }) {
    const { stopReplay } = session.environment;
    const error = 'No replay is being recorded. Send the document with replay=true.';
    const told = stopReplay ? await stopReplay() : { error, url: null };
    return { success: told.error === null, ...told };
  },
});
