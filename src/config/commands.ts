/** What the program does instead of serving: options without a value. */
export const commands = {
  '--help': 'Print this text.',
  '--version': 'Print the version.',
  '--licenses': 'Print the licences of all that the program contains.',
} as const;

export type Command = keyof typeof commands;

export const isCommand = (option: string): option is Command => Object.hasOwn(commands, option);
