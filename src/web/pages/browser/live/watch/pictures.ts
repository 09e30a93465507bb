/** Draws pictures onto the canvas, the newest first, and tells the server which are drawn. */
import type { Send } from './connection.ts';

/** Bytes before a picture; `src/sessions/live/protocol/messages.ts` says what they hold. */
const headBytes = 16;

export interface Drawn {
  /** Size of the watched page in CSS pixels. */
  width: number;
  height: number;
  /** How much longer the picture was under way than the fastest one; 0 when the server does not tell its clock. */
  lateMs: number;
}

interface Waiting {
  head: DataView;
  bytes: ArrayBuffer;
  /** Numbers of this picture and of those that it has overtaken. */
  numbers: number[];
  lateMs: number;
}

export interface Pictures {
  add(bytes: ArrayBuffer): void;
  /** Forgets what another connection has sent. */
  restart(): void;
}

export function createPictures(canvas: HTMLCanvasElement, send: Send, drawn: (picture: Drawn) => void): Pictures {
  const context = canvas.getContext('2d', { alpha: false });
  let waiting: Waiting | undefined;
  let isDrawing = false;
  let connection = 0;
  let fastest: number | undefined;

  /** The clocks differ by some constant, so only the difference to the fastest picture has a meaning. */
  const lateness = (sentMs: number): number => {
    if (sentMs === 0) return 0;
    const apart = (Math.floor(performance.now()) - sentMs) >>> 0;
    if (fastest === undefined || ((apart - fastest) | 0) < 0) fastest = apart;
    return (apart - fastest) | 0;
  };

  const draw = async ({ head, bytes, lateMs }: Waiting): Promise<void> => {
    const type = head.getUint8(0) === 1 ? 'image/png' : 'image/jpeg';
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes, headBytes)], { type }));
    // A still has device pixels, a picture in motion has CSS pixels: both are shown at the same size.
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
      // A broken picture is acknowledged as well: without that the server would wait for ever.
      await draw(picture).catch(() => undefined);
      if (from === connection) for (const seq of picture.numbers) send({ t: 'ack', seq });
    }
    isDrawing = false;
  };

  return {
    add(bytes) {
      if (bytes.byteLength <= headBytes) return;
      const head = new DataView(bytes);
      const numbers = [...(waiting?.numbers ?? []), head.getUint32(1)];
      waiting = { head, bytes, numbers, lateMs: lateness(head.getUint32(9)) };
      void drawAll();
    },
    restart() {
      connection++;
      waiting = undefined;
      fastest = undefined;
    },
  };
}
