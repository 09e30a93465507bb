/** Builds the text of `--help` from the tables of commands, exit codes and settings. */
import { exitCodes } from '../exit-codes.ts';
import { commands } from './commands.ts';
import { describeSettings } from './config.ts';

export function helpText(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 2;
  return [
    'browserd: a headless-browser service.',
    '',
    'Usage: browserd [--name=value …]',
    '',
    ...Object.entries(commands).map(([name, text]) => `  ${name.padEnd(width)}${text}`),
    '',
    'Exit codes:',
    ...Object.values(exitCodes).map(
      ({ code, meaning, advice }) => `  ${String(code).padEnd(width)}${meaning} ${advice}`,
    ),
    '',
    'Every setting can be an environment variable or an option; the option wins.',
    '',
    ...describeSettings().flatMap(({ names, option, expected, byDefault, description, unit }) => [
      `  ${option}=…  (${names.join(', ')})`,
      `      ${description}`,
      `      ${expected}${unit === undefined ? '' : ` (${unit})`}; default: ${byDefault}`,
    ]),
  ].join('\n');
}
