// Checks command-line arguments of callers: which go to the browser, which the server decides, which are refused and
// why. An argument can start programs, read and write files and bypass the network filter, so only those in the table
// are accepted.

import { ServiceError } from '../../errors.ts';
import { nearestName } from '../describe.ts';
import { launchSwitches, type SwitchRow } from './launch-switches.ts';

/** Options of launch libraries that name a program or its environment. */
export const refusedOptions: Readonly<Record<string, string>> = {
  executablePath: 'the server chooses the browser; use the routes of the browser that you want',
  env: 'the environment of the browser belongs to the server',
};

export interface CheckedArgs {
  /** For the browser: each `--name` or `--name=value`. */
  args: string[];
  /** Names of switches that the server decides, each once, with their dashes. */
  ignored: string[];
}

/**
 * Sorts the arguments of a caller by the table of switches; blanks around them and empty ones are dropped.
 * @param allowed names (without dashes) that the operator allows too (ALLOWED_LAUNCH_ARGS); `*` allows unknown ones
 * @throws ServiceError `invalid-launch` naming the argument and the reason
 */
export function checkLaunchArgs(args: readonly string[], allowed: readonly string[] = []): CheckedArgs {
  const checked: CheckedArgs = { args: [], ignored: [] };
  for (const arg of args.map((each) => each.trim())) {
    if (arg === '') continue;
    const shape = wrongShape(arg);
    if (shape !== undefined) throw notAllowed(arg, shape);
    // Chromium accepts one dash as well as two.
    const text = arg.replace(/^-+/, '');
    const name = text.split('=', 1)[0] ?? '';
    const row = rowOf(name, allowed);
    const reason = refusalOf(row, name, text);
    if (reason !== undefined) throw notAllowed(arg, reason);
    if (row?.treatment === 'server') checked.ignored.push(`--${name}`);
    else checked.args.push(`--${text}`);
  }
  return { args: checked.args, ignored: [...new Set(checked.ignored)] };
}

function wrongShape(arg: string): string | undefined {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
  if (/[\0-\x1f\x7f]/.test(arg)) return 'it has a control character';
  // Chromium opens a text without dashes, and all after "--", as a page at its start, past every check.
  if (!/^--?[^-\s=]/.test(arg)) return 'it is no switch; write it as --name or --name=value';
  // To Chromium a blank is part of the name: it would read no such switch.
  if (/\s/.test(arg.split('=', 1)[0] ?? '')) return 'its name has a blank; write it as --name=value';
  return undefined;
}

/** ALLOWED_LAUNCH_ARGS wins over the table. */
function rowOf(name: string, allowed: readonly string[]): SwitchRow | undefined {
  const own: SwitchRow = { treatment: 'passed', reason: 'allowed by ALLOWED_LAUNCH_ARGS' };
  if (allowed.includes(name)) return own;
  const row = Object.hasOwn(launchSwitches, name) ? launchSwitches[name] : undefined;
  return row ?? (allowed.includes('*') && !dangerousName.test(name) ? own : undefined);
}

/** With ALLOWED_LAUNCH_ARGS=* these stay refused: they start programs, name files or lift the network filter. */
const dangerousName =
  /prefix|launcher|-path|-dir|-file|-log\b|^log-|trace|dump|profil|load-|extension|proxy|host-|dns|remote-|debugg|webrtc|sandbox|^type$|^app/i;

function refusalOf(row: SwitchRow | undefined, name: string, text: string): string | undefined {
  if (row === undefined) {
    const nearest = nearestName(name, Object.keys(launchSwitches));
    const hint = nearest === undefined ? '' : ` Did you mean --${nearest}?`;
    return `this server does not know it.${hint} Its operator can allow it with ALLOWED_LAUNCH_ARGS`;
  }
  if (row.treatment === 'refused') return row.reason;
  const value = text.includes('=') ? text.slice(name.length + 1) : '';
  if (row.value !== undefined && !row.value.test(value)) return `its value must be ${row.expected ?? row.value.source}`;
  return undefined;
}

function notAllowed(arg: string, reason: string): ServiceError {
  const name = JSON.stringify(arg.split('=', 1)[0]?.slice(0, 80));
  return new ServiceError('invalid-launch', `The launch argument ${name} is not allowed: ${reason}.`, {
    issues: [{ path: 'launch.args', message: `${name} is not allowed: ${reason}` }],
  });
}
