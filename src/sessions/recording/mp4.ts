/** Reads the boxes of a fragmented MP4 file (ISO/IEC 14496-12), in order to cut off an incomplete last fragment. */

/** The part of a file's interface that is needed here. */
export interface Mp4File {
  readonly bytes: number;
  read(from: number, to: number): Promise<Uint8Array>;
}

interface Box {
  type: string;
  end: number;
}

/** Size, type and 64-bit size of a box. */
const headBytes = 16;
/** This value in the size field means that the 64-bit size follows the type. */
const longSize = 1;

/**
 * Returns the length of the playable part: the header and all complete fragments, each a `moof` with its `mdat`.
 * @returns in bytes; 0 when no fragment is complete
 */
export async function playableLength(file: Mp4File): Promise<number> {
  let playable = 0;
  let hasHeader = false;
  let before = '';
  for (let at = 0; at < file.bytes;) {
    const box = boxIn(await file.read(at, at + headBytes), at);
    if (!box || box.end > file.bytes) break;
    if (box.type === 'moov') hasHeader = true;
    if (hasHeader && before === 'moof' && box.type === 'mdat') playable = box.end;
    // The index at the end of a file is not a fragment, but belongs to the playable part.
    if (playable === at && box.type === 'mfra') playable = box.end;
    before = box.type;
    at = box.end;
  }
  return playable;
}

/** Reads a box header; undefined for invalid headers, and for boxes that extend to the end of the file (size 0). */
function boxIn(head: Uint8Array, at: number): Box | undefined {
  if (head.length < 8) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const short = view.getUint32(0);
  if (short === longSize && head.length < headBytes) return undefined;
  const size = short === longSize ? Number(view.getBigUint64(8)) : short;
  if (size < 8) return undefined;
  return { type: String.fromCharCode(...head.subarray(4, 8)), end: at + size };
}
