/** Command-line options without a value that make the program do something other than serve. */
export const commands = {
  '--help': 'Print this text.',
  '--version': 'Print the version.',
  '--licenses': 'Print the licenses of all bundled software.',
  '--check': 'Check the settings and this machine without starting the server.',
  '--health': 'Check whether the server with this configuration is alive; exit code 0 or 1.',
} as const;

export type Command = keyof typeof commands;

export const isCommand = (option: string): option is Command => Object.hasOwn(commands, option);
