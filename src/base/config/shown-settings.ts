/** Lists the settings that were set explicitly. */
import { redact } from '../telemetry/log.ts';
import { type ParsedConfig, publicValue } from './config.ts';
import { type Setting, settings } from './table.ts';

const table: readonly (readonly [name: string, entry: Setting])[] = Object.entries(settings);

/** The settings that were set explicitly, as `NAME=text` in the order of the table, with secrets masked. */
export function effectiveSettings({ config, given }: Pick<ParsedConfig, 'config' | 'given'>): string[] {
  const values = new Map<string, unknown>(Object.entries(config));
  const names = new Set<string>(given);
  return table.flatMap(([name, entry]) => {
    if (!names.has(name)) return [];
    const value = publicValue(values.get(name), entry.secret === true);
    const text = typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value);
    return [`${name}=${redact(text ?? '')}`];
  });
}
