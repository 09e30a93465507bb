// Checks command-line arguments from clients: which are passed to the browser, which the server decides, which are
// refused and why. An argument can start programs, read and write files and bypass the network filter, so only those in
// the table are accepted.

import { ServiceError } from '../../errors.ts';
import { nearestName } from '../describe.ts';
import { launchSwitches, type SwitchRow } from './launch-switches.ts';

/** Launch options of client libraries that specify a program or its environment. */
export const refusedOptions: Readonly<Record<string, string>> = {
  executablePath: 'the server chooses the browser; use the route of the browser you want',
  env: 'the server sets the environment of the browser',
};

export interface CheckedArgs {
  /** Arguments for the browser, as `--name` or `--name=value`. */
  args: string[];
  /** Names of switches that the server decides, without duplicates, with their dashes. */
  ignored: string[];
}

/**
 * Classifies a client's arguments by the table of switches; surrounding whitespace and empty arguments are dropped.
 * @param allowed names (without dashes) that the operator also allows (ALLOWED_LAUNCH_ARGS); `*` allows unknown ones
 * @throws ServiceError `invalid-launch` naming the argument and the reason
 */
export function checkLaunchArgs(args: readonly string[], allowed: readonly string[] = []): CheckedArgs {
  const checked: CheckedArgs = { args: [], ignored: [] };
  for (const arg of args.map((each) => each.trim())) {
    if (arg === '') continue;
    const shape = syntaxProblem(arg);
    if (shape !== undefined) throw notAllowed(arg, shape);
    // Chromium accepts one dash or two.
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

function syntaxProblem(arg: string): string | undefined {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
  if (/[\0-\x1f\x7f]/.test(arg)) return 'it contains a control character';
  // At startup, Chromium opens an argument without dashes, and everything after "--", as a page, bypassing every check.
  if (!/^--?[^-\s=]/.test(arg)) return 'it is not a switch; write it as --name or --name=value';
  // To Chromium, a space is part of the name: it would not recognize such a switch.
  if (/\s/.test(arg.split('=', 1)[0] ?? '')) return 'its name contains a space; write it as --name=value';
  return undefined;
}

/** Looks up the row of a switch; ALLOWED_LAUNCH_ARGS wins over the table. */
function rowOf(name: string, allowed: readonly string[]): SwitchRow | undefined {
  const own: SwitchRow = { treatment: 'passed', reason: 'allowed by ALLOWED_LAUNCH_ARGS' };
  if (allowed.includes(name)) return own;
  const row = Object.hasOwn(launchSwitches, name) ? launchSwitches[name] : undefined;
  return row ?? (allowed.includes('*') && !dangerousName.test(name) ? own : undefined);
}

/** These stay refused even with ALLOWED_LAUNCH_ARGS=*: they start programs, name files or bypass the network filter. */
const dangerousName =
  /prefix|launcher|-path|-dir|-file|-log\b|^log-|trace|dump|profil|load-|extension|proxy|host-|dns|remote-|debugg|webrtc|sandbox|^type$|^app/i;

function refusalOf(row: SwitchRow | undefined, name: string, text: string): string | undefined {
  if (row === undefined) {
    const nearest = nearestName(name, Object.keys(launchSwitches));
    const hint = nearest === undefined ? '' : ` Did you mean --${nearest}?`;
    return `it is unknown.${hint} The operator can allow it with ALLOWED_LAUNCH_ARGS`;
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
