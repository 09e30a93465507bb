/**
 * Finds a string in another, in linear time (Knuth, Morris and Pratt). For untrusted strings: `indexOf` may take time
 * proportional to the product of their lengths.
 */

/** Yields each position of the text from `start` on, including overlapping ones, in order; none for an empty string. */
export function* placesIn(text: string, wanted: string, start = 0): Generator<number> {
  if (wanted === '' || wanted.length > text.length - start) return;
  // For each matched length, the matched length to continue with when the next character does not match.
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
