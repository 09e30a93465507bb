// Command-line arguments of callers: which are refused, and why. An argument is a way to start programs, read and
// write files and go past the egress filter; what is not refused here is handed to the browser as it is.

import { ServiceError } from '../errors.ts';

/** Refused by whole name. Chromium reads names with one dash too, and in any case on Windows. */
const refusedNames: Readonly<Record<string, string>> = {
  'renderer-cmd-prefix': 'it starts a program on the server',
  'utility-cmd-prefix': 'it starts a program on the server',
  'gpu-launcher': 'it starts a program on the server',
  'plugin-launcher': 'it starts a program on the server',
  'ppapi-plugin-launcher': 'it starts a program on the server',
  'zygote-cmd-prefix': 'it starts a program on the server',
  'nacl-loader-cmd-prefix': 'it starts a program on the server',
  'browser-subprocess-path': 'it starts a program on the server',
  'register-pepper-plugins': 'it loads a library of the server',
  'ppapi-flash-path': 'it loads a library of the server',
  'load-extension': 'it loads code from the disk of the server',
  'disable-extensions-except': 'it loads code from the disk of the server',
  'load-and-launch-app': 'it loads code from the disk of the server',
  'log-file': 'it writes a file on the server',
  'crash-dumps-dir': 'it writes files on the server',
  'log-net-log': 'it writes a file on the server',
  'ssl-key-log-file': 'it writes a file on the server',
  'trace-startup-file': 'it writes a file on the server',
  'trace-to-file': 'it writes a file on the server',
  'print-to-pdf': 'it writes a file on the server; use the pdf route',
  screenshot: 'it writes a file on the server; use the screenshot route',
  'no-proxy-server': 'traffic must pass the network filter of the server',
  'proxy-auto-detect': 'traffic must pass the network filter of the server; name a proxy with --proxy-server',
  'proxy-pac-url': 'traffic must pass the network filter of the server; name a proxy with --proxy-server',
  type: 'it makes the process something else than a browser',
};

const refusedPrefixes: Readonly<Record<string, string>> = {
  'remote-debugging-': 'the server itself controls the browser through it; connect to the server instead',
};

/** Options of launch libraries that name a program or its environment. */
export const refusedOptions: Readonly<Record<string, string>> = {
  executablePath: 'the server chooses the browser; use the routes of the browser that you want',
  env: 'the environment of the browser belongs to the server',
};

/**
 * The arguments without surrounding blanks and empty entries.
 * @throws ServiceError `invalid-launch` naming the argument and the reason
 */
export function checkLaunchArgs(args: readonly string[]): string[] {
  const trimmed = args.map((arg) => arg.trim()).filter((arg) => arg !== '');
  for (const arg of trimmed) {
    const reason = refusalOf(arg);
    if (reason === undefined) continue;
    const name = JSON.stringify(arg.split('=', 1)[0]?.slice(0, 80));
    throw new ServiceError('invalid-launch', `The launch argument ${name} is not allowed: ${reason}.`, {
      issues: [{ path: 'launch.args', message: `${name} is not allowed: ${reason}` }],
    });
  }
  return trimmed;
}

function refusalOf(arg: string): string | undefined {
  if (/[\0-\x1f\x7f]/.test(arg)) return 'it has a control character';
  // A text without dashes is a page that the browser opens at its start, past every check; so is all after "--".
  if (!arg.startsWith('-') || /^-+$/.test(arg)) return 'it is no switch; write it as --name or --name=value';
  const name = (/^[-\s]*([^=\s]*)/.exec(arg)?.[1] ?? '').toLowerCase();
  if (Object.hasOwn(refusedNames, name)) return refusedNames[name];
  const prefix = Object.keys(refusedPrefixes).find((start) => name.startsWith(start));
  if (prefix !== undefined) return refusedPrefixes[prefix];
  const value = arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : '';
  if (name === 'enable-logging' && /[/\\]/.test(value))
    return 'it writes a file on the server; use --enable-logging=stderr';
  // A blank ends the name for us but not for Chromium: such a switch is a spelling that nothing reads.
  if (/\s/.test(arg.split('=', 1)[0] ?? '')) return 'its name has a blank; write it as --name=value';
  return undefined;
}
