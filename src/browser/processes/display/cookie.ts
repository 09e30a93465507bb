/**
 * Creates the secret with which clients open an X display (MIT-MAGIC-COOKIE-1), and the file that contains it (Xau(3)).
 */

export const cookieName = 'MIT-MAGIC-COOKIE-1';

const cookieBytes = 16;
/** FamilyWild: the entry applies to every address; with an empty number, to every display. */
const wild = 0xffff;

export function makeCookie(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(cookieBytes));
}

/** The content of an Xauthority file with one cookie. */
export function xauthority(cookie: Uint8Array): Uint8Array {
  const fields = [new Uint8Array(), new Uint8Array(), new TextEncoder().encode(cookieName), cookie];
  return Uint8Array.from([...bigEndian(wild), ...fields.flatMap((field) => [...bigEndian(field.length), ...field])]);
}

function bigEndian(value: number): [number, number] {
  return [value >> 8, value & 0xff];
}
