/** Finds the language and the time zone of most people in a country, from the runtime's own data (CLDR). */

/** The most spoken language of a country (CLDR likely subtags), as a tag with the country: `de-CH` for `ch`. */
export function languageOf(country: string): string {
  const { language, region } = new Intl.Locale(`und-${country}`).maximize();
  return `${language}-${region ?? country.toUpperCase()}`;
}

/** The most populous time zone of countries with several, if it is not the first one. */
const mostPeopled: Readonly<Record<string, string>> = {
  AR: 'America/Buenos_Aires',
  AU: 'Australia/Sydney',
  BR: 'America/Sao_Paulo',
  CA: 'America/Toronto',
  CL: 'America/Santiago',
  CY: 'Asia/Nicosia',
  ES: 'Europe/Madrid',
  FM: 'Pacific/Ponape',
  GL: 'America/Godthab',
  KI: 'Pacific/Tarawa',
  MN: 'Asia/Ulaanbaatar',
  MX: 'America/Mexico_City',
  PF: 'Pacific/Tahiti',
  PG: 'Pacific/Port_Moresby',
  PT: 'Europe/Lisbon',
  RU: 'Europe/Moscow',
  US: 'America/New_York',
  UZ: 'Asia/Tashkent',
};

/** The IANA time zone of most people in a country, such as `Europe/Berlin`; undefined for an uninhabited territory. */
export function timezoneOf(country: string): string | undefined {
  const region = country.toUpperCase();
  return mostPeopled[region] ?? new Intl.Locale(`und-${region}`).getTimeZones()?.[0];
}
