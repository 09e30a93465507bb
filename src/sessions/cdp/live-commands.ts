/** Defines the commands of live views (compatibility.mdx#live-view). */
import * as v from 'valibot';
import { ServiceError } from '../../base/errors.ts';
import { liveViewLimits } from '../../base/limits.ts';
import { settingsOf } from '../live/settings.ts';
import { maxTimerMs } from '../../base/runtime/deadline.ts';
import { field } from '../../base/schema/request/primitives.ts';
import { command, milliseconds } from './command.ts';

/** What is left out has these values. */
const byDefault = settingsOf({});
const yesOrNo = (text: string, value: boolean) => field(v.boolean(), `${text} Default \`${value}\`.`);

const options = {
  timeout: field(
    v.pipe(milliseconds, v.maxValue(maxTimerMs)),
    'How long the link works, in milliseconds. Default 0: as long as the page lives.',
  ),
  interactive: yesOrNo('Whether people may act. With `false` they only watch.', byDefault.interactive),
  interactable: field(v.boolean(), 'Another name of `interactive`. Both with different values are an error.'),
  resizable: yesOrNo(
    'Whether the page takes the size of the first viewer’s window while somebody watches.',
    byDefault.resizable,
  ),
  quality: field(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
    `Best JPEG quality of the pictures of a moving page, and of the sharp picture with \`type: 'jpeg'\`. Default ${byDefault.quality} and ${byDefault.stillQuality}.`,
  ),
  type: field(
    v.picklist(['jpeg', 'png']),
    `Format of the sharp picture that comes when the page rests. Default \`${byDefault.still}\`.`,
  ),
  compressed: yesOrNo('Whether pictures get worse for viewers that cannot take better ones.', byDefault.adapts),
  showBrowserInterface: yesOrNo('Whether people see tabs and the address, and may use them.', byDefault.showsBrowser),
  emulateComponents: yesOrNo(
    'Whether people get a list or a field of the view for `select`, dates, times and colours, whose own no picture shows.',
    byDefault.emulatesComponents,
  ),
  instructions: field(
    v.pipe(v.string(), v.maxLength(liveViewLimits.instructionsCharacters)),
    `What the person is asked to do, shown with the buttons Done and I can’t; at most ${liveViewLimits.instructionsCharacters} characters. Default none: no buttons.`,
  ),
};

export const liveCommands = {
  'Browserless.liveURL': command({
    summary:
      'Makes a link with which a person watches the page and, unless interactive is false, acts in it. It needs no token and works until timeout, Browserless.closeLiveURL, or the end of the page.',
    params: v.strictObject(options),
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
    params: v.strictObject({ liveURLId: v.pipe(v.string(), v.description('As `Browserless.liveURL` answered it.')) }),
    run({ closeLive }, { liveURLId }) {
      const error = closeLive(liveURLId) ? null : 'This session has no live view with this liveURLId, or it has ended.';
      return { error, liveURLId };
    },
    failed: (error) => ({ error, liveURLId: null }),
  }),
} as const;

const noLink = (error: string) => ({ error, liveURL: null, liveURLId: null });
