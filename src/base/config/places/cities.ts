// The cities of the operator's proxy provider (RESIDENTIAL_PROXY_CITIES), and whether a city is one of them.

export interface ProxyCities {
  /** By the two letters of the country in capitals (ISO 3166-1), both in the order of the setting. */
  readonly byCountry: ReadonlyMap<string, readonly string[]>;
  /** The countries that have a city, by its `comparable` name. */
  readonly countries: ReadonlyMap<string, readonly string[]>;
}

interface ListedCity {
  readonly country: string;
  readonly city: string;
}

/** The parts of an entry such as `de:Berlin`; the country is empty where there is no colon. */
export function readEntry(entry: string): ListedCity {
  const colon = entry.indexOf(':');
  return { country: entry.slice(0, Math.max(0, colon)).trim().toUpperCase(), city: entry.slice(colon + 1).trim() };
}

/** @param entries of the setting, already checked; without any the operator lists no cities, which is undefined */
export function citiesOf(entries: readonly string[]): ProxyCities | undefined {
  if (entries.length === 0) return undefined;
  const all = entries.map(readEntry);
  const grouped = (nameOf: (listed: ListedCity) => string, valueOf: (listed: ListedCity) => string) =>
    new Map([...Map.groupBy(all, nameOf)].map(([name, found]) => [name, found.map(valueOf)]));
  return {
    byCountry: grouped(
      ({ country }) => country,
      ({ city }) => city,
    ),
    countries: grouped(
      ({ city }) => comparable(city),
      ({ country }) => country,
    ),
  };
}

/** The countries that have a city, in the order of the list. */
export function countriesWith({ countries }: ProxyCities, city: string): readonly string[] {
  return countries.get(comparable(city)) ?? [];
}

/** The same text for all ways to write a name: `New York`, `new-york`. */
export function comparable(name: string): string {
  return underscored(name).normalize('NFC').toLowerCase();
}

/** Hyphens too: providers separate the parts of a user name by them, and a city must not add a part. */
export function underscored(text: string): string {
  return text.trim().replace(/[\s-]+/g, '_');
}
