// Echoes WebSocket messages: a minimal server for short text frames, which is all that the test site's pages send.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const handshakeSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // RFC 6455 section 1.3

/** Accepts the upgrade and echoes every text frame (under 126 bytes). */
export function echoSocket(incoming: IncomingMessage, socket: Socket): void {
  const accept = createHash('sha1')
    .update(`${incoming.headers['sec-websocket-key']}${handshakeSuffix}`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  // Otherwise upgraded sockets stay half-open.
  socket.on('end', () => socket.end());
  socket.on('data', (frame: Uint8Array) => {
    const [head = 0, second = 0] = frame;
    if ((head & 0x0f) !== 1) {
      socket.end();
      return;
    }
    const length = second & 0x7f;
    const mask = frame.subarray(2, 6);
    const text = frame.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    socket.write(Uint8Array.from([0x81, length, ...text]));
  });
}
