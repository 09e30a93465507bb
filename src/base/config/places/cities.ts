// Looks up the cities of the operator's proxy provider (RESIDENTIAL_PROXY_CITIES).

export interface ProxyCities {
  /** Cities by uppercase country code (ISO 3166-1), both in the order of the setting. */
  readonly byCountry: ReadonlyMap<string, readonly string[]>;
  /** Countries with a city of that name, keyed by its normalized form. */
  readonly countries: ReadonlyMap<string, readonly string[]>;
}

interface ListedCity {
  readonly country: string;
  readonly city: string;
}

/** Splits an entry such as `de:Berlin`; the country is empty when there is no colon. */
export function readEntry(entry: string): ListedCity {
  const colon = entry.indexOf(':');
  return { country: entry.slice(0, Math.max(0, colon)).trim().toUpperCase(), city: entry.slice(colon + 1).trim() };
}

/** @param entries entries of the setting, already validated; undefined is returned when there are none */
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
      ({ city }) => normalizeName(city),
      ({ country }) => country,
    ),
  };
}

/** The countries with a city of this name, in the order of the list. */
export function countriesWith({ countries }: ProxyCities, city: string): readonly string[] {
  return countries.get(normalizeName(city)) ?? [];
}

/** Normalizes a name, so that all its spellings are equal: `New York`, `new-york`. */
export function normalizeName(name: string): string {
  return underscored(name).normalize('NFC').toLowerCase();
}

/**
 * Replaces spaces and hyphens with underscores. Hyphens too: providers separate the parts of a username with them, and
 * a city must not add a part.
 */
export function underscored(text: string): string {
  return text.trim().replace(/[\s-]+/g, '_');
}
