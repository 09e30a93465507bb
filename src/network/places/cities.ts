// The cities of the operator's proxy provider (RESIDENTIAL_PROXY_CITIES), and whether a city is one of them.

/** The cities of each country, by its two letters in capitals (ISO 3166-1), both in the order of the setting. */
export type ProxyCities = ReadonlyMap<string, readonly string[]>;

/** The parts of an entry such as `de:Berlin`; the country is empty where there is no colon. */
export function readEntry(entry: string): { country: string; city: string } {
  const colon = entry.indexOf(':');
  return { country: entry.slice(0, Math.max(0, colon)).trim().toUpperCase(), city: entry.slice(colon + 1).trim() };
}

/** @param entries of the setting, already checked; without any the operator lists no cities, which is undefined */
export function citiesOf(entries: readonly string[]): ProxyCities | undefined {
  if (entries.length === 0) return undefined;
  const groups = Map.groupBy(entries.map(readEntry), ({ country }) => country);
  return new Map([...groups].map(([country, found]) => [country, found.map(({ city }) => city)]));
}

/** The countries that have a city, in the order of the list. */
export function countriesWith(cities: ProxyCities, city: string): string[] {
  const wanted = comparable(city);
  return [...cities].flatMap(([country, names]) => (names.some((name) => comparable(name) === wanted) ? country : []));
}

/** The same text for all ways to write a name: `New York`, `new-york`. */
export function comparable(name: string): string {
  return underscored(name).normalize('NFC').toLowerCase();
}

/** Hyphens too: providers separate the parts of a user name by them, and a city must not add a part. */
export function underscored(text: string): string {
  return text.trim().replace(/[\s-]+/g, '_');
}
