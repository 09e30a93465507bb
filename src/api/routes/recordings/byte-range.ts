/** Parses the Range header of a request (RFC 9110 section 14). */

/** A part of a file: from the byte `from` up to, but not including, `to`. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * @param header the Range header
 * @param bytes size of the file
 * @returns undefined for the whole file: without the header, for several ranges, for other units, and for an invalid
 *   range; `beyond` for a range outside of the file
 */
export function byteRangeOf(header: string | null, bytes: number): ByteRange | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'beyond' : { from: bytes - length, to: bytes };
  }
  const from = Number(first);
  const to = last === '' ? bytes : Math.min(Number(last) + 1, bytes);
  if (last !== '' && Number(last) < from) return undefined;
  return from >= bytes ? 'beyond' : { from, to };
}
