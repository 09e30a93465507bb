/**
 * Finds a text in another, in time linear in both (Knuth, Morris and Pratt). For strings of strangers: `indexOf` may
 * take the product of their lengths.
 */

/** Where the text stands from `start` on, also within itself, in order. An empty one stands nowhere. */
export function* placesIn(text: string, wanted: string, start = 0): Generator<number> {
  if (wanted === '' || wanted.length > text.length - start) return;
  // How much of the wanted text goes on where one more character does not fit, by how much of it did.
  const shorter = new Uint32Array(wanted.length + 1);
  const fitting = (length: number, character: string | undefined): number => {
    let fits = length;
    while (fits > 0 && wanted[fits] !== character) fits = shorter[fits] ?? 0;
    return wanted[fits] === character ? fits + 1 : 0;
  };
  for (let index = 1; index < wanted.length; index++) {
    shorter[index + 1] = fitting(shorter[index] ?? 0, wanted[index]);
  }
  let fits = 0;
  for (let index = start; index < text.length; index++) {
    fits = fitting(fits, text[index]);
    if (fits === wanted.length) yield index + 1 - wanted.length;
  }
}
