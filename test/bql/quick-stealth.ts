// Lets the headless shell stand in for a full browser, which takes three times as long to start: for tests of sessions
// and of launch options, not of stealth itself.
import { placeOf } from '../support/programs.ts';

const shell = placeOf('shell');
/** The settings of such a server. */
export const quickStealth: Record<string, string> = shell === undefined ? {} : { CHROMIUM_PATH: shell };
