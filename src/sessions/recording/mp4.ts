/** Reads the boxes of a fragmented MP4 file (ISO/IEC 14496-12), to cut off a fragment that was not written to its end. */

/** What the cut needs of a file. */
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
/** A box of this size has its size behind its type. */
const longSize = 1;

/**
 * The length of the part that plays: the header and the fragments that are complete, each a `moof` with its `mdat`.
 * @returns in bytes; 0 when no fragment is complete
 */
export async function playableBytes(file: Mp4File): Promise<number> {
  let playable = 0;
  let hasHeader = false;
  let before = '';
  for (let at = 0; at < file.bytes;) {
    const box = boxIn(await file.read(at, at + headBytes), at);
    if (!box || box.end > file.bytes) break;
    if (box.type === 'moov') hasHeader = true;
    if (hasHeader && before === 'moof' && box.type === 'mdat') playable = box.end;
    // The index at the end of a file is no fragment, and belongs to what plays.
    if (playable === at && box.type === 'mfra') playable = box.end;
    before = box.type;
    at = box.end;
  }
  return playable;
}

/** The box at a place; undefined for what is none, and for one that reaches to the end of the file, wherever that is. */
function boxIn(head: Uint8Array, at: number): Box | undefined {
  if (head.length < 8) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const short = view.getUint32(0);
  if (short === longSize && head.length < headBytes) return undefined;
  const size = short === longSize ? Number(view.getBigUint64(8)) : short;
  if (size < 8) return undefined;
  return { type: String.fromCharCode(...head.subarray(4, 8)), end: at + size };
}
