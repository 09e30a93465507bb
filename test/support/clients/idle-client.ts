// Sends HTTP requests on a bare socket without reading, so that the responses pile up at the server.
import { connect, type Socket } from 'node:net';

export interface IdleClient {
  socket: Socket;
  /** Sends another POST with a JSON body on the same connection. */
  post(path: string, body: object): void;
  /** Reads until the connection ends; returns all of it as Latin-1. */
  readToEnd(): Promise<string>;
  close(): void;
}

/** Connects, and reads nothing until `readToEnd`. */
export async function idleClient(port: number): Promise<IdleClient> {
  const socket = connect({ host: '127.0.0.1', port });
  // With this listener, the stream reads only what fits into its own small buffer.
  const look = () => undefined;
  socket.on('readable', look);
  // The tests expect the server to cut the connection.
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return {
    socket,
    post(path, body) {
      const text = JSON.stringify(body);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      );
    },
    async readToEnd() {
      const chunks: Buffer[] = [];
      socket.off('readable', look);
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.resume();
      await closed;
      return Buffer.concat(chunks).toString('latin1');
    },
    close: () => void socket.destroy(),
  };
}
