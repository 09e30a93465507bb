// Checks RESIDENTIAL_PROXY_CITIES, and that clients can ask for its cities.

import { safeParse } from 'valibot';
import { cityLimits } from '../limits.ts';
import { normalizeName, readEntry } from './places/cities.ts';
import { hasPlaceholder } from './proxy-template.ts';
import { countryCode, placeName } from '../schema/request/primitives.ts';

/** Explains what is wrong with the list, phrased to end a sentence about the entry; undefined when it is valid. */
export function problemOfCities(entries: readonly string[]): string | undefined {
  if (entries.length === 0) return 'it is empty';
  if (entries.length > cityLimits.listed) return `it has ${entries.length} entries`;
  const known = new Map<string, string>();
  for (const [index, entry] of entries.entries()) {
    const { country, city } = readEntry(entry);
    const shown = `entry ${index + 1}, ${JSON.stringify(entry.slice(0, cityLimits.nameCharacters))},`;
    if (!safeParse(countryCode, country).success) return `${shown} does not start with two letters and a colon`;
    const { issues } = safeParse(placeName, city);
    if (issues) return `the city of ${shown} ${issues[0].message}`;
    const key = `${country}:${normalizeName(city)}`;
    const other = known.get(key);
    if (other !== undefined) return `${shown} is the same city as ${JSON.stringify(other)}`;
    known.set(key, entry);
  }
  return undefined;
}

/** Adds a message when cities are listed that no request could ask for. @param values all settings */
export function checkProxyCities(
  values: ReadonlyMap<string, unknown>,
  given: ReadonlySet<string>,
  problems: string[],
): void {
  if (!given.has('RESIDENTIAL_PROXY_CITIES')) return;
  const template = values.get('RESIDENTIAL_PROXY_URL');
  if (!given.has('RESIDENTIAL_PROXY_URL')) {
    problems.push(
      'RESIDENTIAL_PROXY_CITIES needs RESIDENTIAL_PROXY_URL. Set the URL of the provider, with {city} in it, or remove the cities.',
    );
  } else if (typeof template === 'string' && !hasPlaceholder(template, 'city')) {
    problems.push(
      'RESIDENTIAL_PROXY_CITIES needs {city} in RESIDENTIAL_PROXY_URL, where the provider expects it, such as [-city-{city}] after the username. Add it, or remove the cities.',
    );
  }
}
