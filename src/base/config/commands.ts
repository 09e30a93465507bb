/** Command-line options without a value that make the program do something else than serve. */
export const commands = {
  '--help': 'Print this text.',
  '--version': 'Print the version.',
  '--licenses': 'Print the licenses of everything that the program contains.',
  '--check': 'Check what the server would find on this machine, without starting it.',
  '--health': 'Check whether the server with this configuration is alive; exit code 0 or 1.',
} as const;

export type Command = keyof typeof commands;

export const isCommand = (option: string): option is Command => Object.hasOwn(commands, option);
