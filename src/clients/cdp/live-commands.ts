/** Defines the commands of live views (compatibility.mdx#live-view). */
import * as v from 'valibot';
import { ServiceError } from '../../errors.ts';
import { liveViewLimits } from '../../limits.ts';
import { maxTimerMs } from '../../runtime/deadline.ts';
import { command, milliseconds } from './command.ts';

const yesOrNo = v.optional(v.boolean());

export const liveCommands = {
  'Browserless.liveURL': command({
    summary:
      'Makes a link with which a person watches the page and, unless interactive is false, acts in it. It needs no token and works until timeout, Browserless.closeLiveURL, or the end of the page.',
    params: v.strictObject({
      timeout: v.optional(v.pipe(milliseconds, v.maxValue(maxTimerMs))),
      interactive: yesOrNo,
      interactable: yesOrNo,
      resizable: yesOrNo,
      quality: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
      type: v.optional(v.picklist(['jpeg', 'png'])),
      showBrowserInterface: yesOrNo,
      compressed: yesOrNo,
      emulateComponents: yesOrNo,
      instructions: v.optional(v.pipe(v.string(), v.maxLength(liveViewLimits.instructionsCharacters))),
    }),
    async run({ openLive }, { interactive, interactable, ...request }) {
      if (interactive !== undefined && interactable !== undefined && interactive !== interactable) {
        return noLink('Browserless.liveURL: "interactive" and "interactable" mean the same: send one of them');
      }
      try {
        const { id, url } = await openLive({ ...request, interactive: interactive ?? interactable });
        return { error: null, liveURL: url, liveURLId: id };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return noLink(error.message);
      }
    },
    failed: (error) => noLink(error),
  }),
  'Browserless.closeLiveURL': command({
    summary: 'Ends a live view: its viewers are told and disconnected, and its link is dead.',
    params: v.strictObject({ liveURLId: v.string() }),
    run({ closeLive }, { liveURLId }) {
      const error = closeLive(liveURLId) ? null : 'This session has no live view with this liveURLId, or it has ended.';
      return { error, liveURLId };
    },
    failed: (error) => ({ error, liveURLId: null }),
  }),
} as const;

const noLink = (error: string) => ({ error, liveURL: null, liveURLId: null });
