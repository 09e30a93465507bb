/** Formats numbers for people. */

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats bytes in decimal units, such as 210 kB or 1.9 GB. */
export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1_000;
  return `${short(value)} ${units[unit]}`;
}

/** Converts bytes to gibibytes, with one decimal where it is significant. */
export const gibibytes = (bytes: number): string => short(bytes / 2 ** 30);

function short(value: number): string {
  return value < 9.95 && value % 1 !== 0 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}
