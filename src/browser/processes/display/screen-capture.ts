/** Prevents clients from recording a screen that their windows share with other clients' windows. */
import { ServiceError } from '../../../base/errors.ts';
import { machineHasDisplay } from './display.ts';

/** Switches that let Chromium pages record a screen, a window or a tab without a person choosing it. */
const capturingSwitch = /captur|^use-fake-ui-for-media-stream$/i;
/** Applies only to cameras and microphones. */
const deviceCapture = 'auto-accept-camera-and-microphone-capture';
/** Matches the Firefox preferences that allow such recording. */
const capturingPreference = /^media\.(navigator\.permission|getdisplaymedia|getusermedia\.(screensharing|browser))\b/i;

const reason =
  'all windows on this server share one display, so it could record those of other clients; ask the operator to unset DISPLAY and WAYLAND_DISPLAY and install Xvfb';

/**
 * @throws ServiceError `invalid-launch` for options that let pages record the machine's display, unless the request is
 *   from the operator
 */
export function requireNoScreenCapture(
  account: { readonly isOperator: boolean },
  { args, firefoxUserPrefs = {} }: { args: readonly string[]; firefoxUserPrefs?: object | undefined },
): void {
  if (account.isOperator || !machineHasDisplay()) return;
  for (const arg of args) {
    const name = arg.replace(/^-+/, '').split('=', 1)[0] ?? '';
    if (capturingSwitch.test(name) && name !== deviceCapture) throw refused('args', `--${name}`);
  }
  for (const name of Object.keys(firefoxUserPrefs)) {
    if (capturingPreference.test(name)) throw refused('firefoxUserPrefs', name);
  }
}

function refused(option: 'args' | 'firefoxUserPrefs', name: string): ServiceError {
  const quoted = JSON.stringify(name.slice(0, 80));
  return new ServiceError('invalid-launch', `launch.${option}: ${quoted} is not allowed: ${reason}.`, {
    issues: [{ path: `launch.${option}`, message: `${quoted} is not allowed: ${reason}` }],
  });
}
