/** What the program does instead of serving: options without a value. */
export const commands = {
  '--help': 'Print this text.',
  '--version': 'Print the version.',
  '--licenses': 'Print the licences of all that the program contains.',
  '--check': 'Print what the server would find on this machine, without starting it.',
  '--health': 'Ask the server of this configuration whether it lives; exit code 0 or 1.',
} as const;

export type Command = keyof typeof commands;

export const isCommand = (option: string): option is Command => Object.hasOwn(commands, option);
