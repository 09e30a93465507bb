/** Writes the text of `--help` from the tables of commands and settings. */
import { commands } from './commands.ts';
import { describeSettings } from './config.ts';

export function helpText(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 2;
  return [
    'browserd: a headless-browser service.',
    '',
    'Usage: browserd [--name=value …]',
    '',
    'Every setting is an environment variable or an option; the option wins.',
    ...Object.entries(commands).map(([name, text]) => `  ${name.padEnd(width)}${text}`),
    '',
    ...describeSettings().flatMap(({ names, option, expected, byDefault, description, unit }) => [
      `  ${option}=…  (${names.join(', ')})`,
      `      ${description}`,
      `      ${expected}${unit === undefined ? '' : ` (${unit})`}; default: ${byDefault}`,
    ]),
  ].join('\n');
}
