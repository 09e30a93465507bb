/** Defines the commands of live views (compatibility.mdx#live-view). */
import * as v from 'valibot';
import { liveViewLimits } from '../../base/limits.ts';
import { settingsOf } from '../live/settings.ts';
import { maxTimerMs } from '../../base/runtime/deadline.ts';
import { field } from '../../base/schema/request/primitives.ts';
import { command, milliseconds, orFailed } from './command.ts';

/** Defaults of omitted options. */
const byDefault = settingsOf({});
const yesOrNo = (text: string, value: boolean) => field(v.boolean(), `${text} Default \`${value}\`.`);

const options = {
  timeout: field(
    v.pipe(milliseconds, v.maxValue(maxTimerMs)),
    'How long the link works, in milliseconds. Default 0: until the page closes.',
  ),
  interactive: yesOrNo(
    'Whether people may interact with the page. With `false` they can only watch.',
    byDefault.interactive,
  ),
  interactable: field(v.boolean(), 'Alias of `interactive`. Setting both to different values is an error.'),
  resizable: yesOrNo(
    'Whether the page is resized to the first viewer’s window while someone is watching.',
    byDefault.resizable,
  ),
  quality: field(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
    `Maximum JPEG quality of the frames of a changing page, and of the sharp still image with \`type: 'jpeg'\`. Default ${byDefault.quality} and ${byDefault.stillQuality}.`,
  ),
  type: field(
    v.picklist(['jpeg', 'png']),
    `Format of the sharp still image that is sent when the page stops changing. Default \`${byDefault.still}\`.`,
  ),
  compressed: yesOrNo('Whether image quality is lowered for viewers that cannot keep up.', byDefault.adapts),
  showBrowserInterface: yesOrNo('Whether people see and can use the tabs and the address bar.', byDefault.showsBrowser),
  emulateComponents: yesOrNo(
    'Whether the view shows its own list or field for `select`, date, time and color inputs, whose native controls do not appear in frames.',
    byDefault.emulatesComponents,
  ),
  instructions: field(
    v.pipe(v.string(), v.maxLength(liveViewLimits.instructionsCharacters)),
    `What the person is asked to do, shown with the buttons Done and I can’t; at most ${liveViewLimits.instructionsCharacters} characters. Default none, without buttons.`,
  ),
};

export const liveCommands = {
  'Browserless.liveURL': command({
    summary:
      'Creates a link for watching the page and, unless interactive is false, interacting with it. The link does not need a token and works until the timeout, Browserless.closeLiveURL, or the end of the page.',
    params: v.strictObject(options),
    async run({ openLive }, { interactive, interactable, ...request }) {
      if (interactive !== undefined && interactable !== undefined && interactive !== interactable) {
        return noLink('Browserless.liveURL: "interactive" and "interactable" are aliases: send only one of them');
      }
      return orFailed(async () => {
        const { id, url } = await openLive({ ...request, interactive: interactive ?? interactable });
        return { error: null, liveURL: url, liveURLId: id };
      }, noLink);
    },
    failed: (error) => noLink(error),
  }),
  'Browserless.closeLiveURL': command({
    summary: 'Ends a live view: its viewers are notified and disconnected, and its link stops working.',
    params: v.strictObject({ liveURLId: v.pipe(v.string(), v.description('As returned by `Browserless.liveURL`.')) }),
    run({ closeLive }, { liveURLId }) {
      const error = closeLive(liveURLId) ? null : 'This session has no live view with this liveURLId, or it has ended.';
      return { error, liveURLId };
    },
    failed: (error) => ({ error, liveURLId: null }),
  }),
} as const;

const noLink = (error: string) => ({ error, liveURL: null, liveURLId: null });
