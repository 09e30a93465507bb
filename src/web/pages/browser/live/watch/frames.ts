/** Draws frames onto the canvas, always the newest, and acknowledges the drawn ones to the server. */
import type { Send } from './connection.ts';

/** Length of the header before an image, in bytes; see `src/sessions/live/protocol/messages.ts`. */
const headBytes = 16;

export interface DrawnFrame {
  /** Size of the watched page in CSS pixels. */
  width: number;
  height: number;
  /** How much longer the frame took to arrive than the fastest one; 0 when the server does not send its clock. */
  lateMs: number;
}

interface Waiting {
  head: DataView;
  bytes: ArrayBuffer;
  /** Numbers of this frame and of the frames that it has replaced. */
  numbers: number[];
  lateMs: number;
}

export function createFrames(canvas: HTMLCanvasElement, send: Send, drawn: (picture: DrawnFrame) => void) {
  const context = canvas.getContext('2d', { alpha: false });
  let waiting: Waiting | undefined;
  let isDrawing = false;
  let connection = 0;
  let fastest: number | undefined;

  /** The clocks differ by a constant, so only the difference from the fastest frame is meaningful. */
  const lateness = (sentMs: number): number => {
    if (sentMs === 0) return 0;
    const apart = (Math.floor(performance.now()) - sentMs) >>> 0;
    if (fastest === undefined || ((apart - fastest) | 0) < 0) fastest = apart;
    return (apart - fastest) | 0;
  };

  const draw = async ({ head, bytes, lateMs }: Waiting): Promise<void> => {
    const type = head.getUint8(0) === 1 ? 'image/png' : 'image/jpeg';
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes, headBytes)], { type }));
    // Images of a page at rest have device pixels, frames in motion have CSS pixels: both are shown at the same size.
    if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
    }
    context?.drawImage(bitmap, 0, 0);
    bitmap.close();
    drawn({ width: head.getUint16(5), height: head.getUint16(7), lateMs });
  };

  const drawAll = async (): Promise<void> => {
    if (isDrawing) return;
    isDrawing = true;
    while (waiting !== undefined) {
      const picture = waiting;
      const from = connection;
      waiting = undefined;
      // Acknowledge a malformed frame as well: otherwise the server would wait forever.
      await draw(picture).catch(() => undefined);
      if (from === connection) for (const seq of picture.numbers) send({ t: 'ack', seq });
    }
    isDrawing = false;
  };

  return {
    add(bytes: ArrayBuffer) {
      if (bytes.byteLength <= headBytes) return;
      const head = new DataView(bytes);
      const numbers = [...(waiting?.numbers ?? []), head.getUint32(1)];
      waiting = { head, bytes, numbers, lateMs: lateness(head.getUint32(9)) };
      void drawAll();
    },
    /** Forgets the frames of an earlier connection. */
    restart() {
      connection++;
      waiting = undefined;
      fastest = undefined;
    },
  };
}
