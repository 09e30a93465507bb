// A client that sends and does not read: the bare socket of an HTTP request whose answer piles up at the server.
import { connect, type Socket } from 'node:net';

export interface IdleClient {
  socket: Socket;
  /** Sends a further POST with a JSON body on the same connection. */
  post(path: string, body: object): void;
  /** Reads what is there and what comes, until the connection ends; gives all of it as Latin-1. */
  readToEnd(): Promise<string>;
  close(): void;
}

/** Connects, and reads nothing until it is told to. */
export async function idleClient(port: number): Promise<IdleClient> {
  const socket = connect({ host: '127.0.0.1', port });
  // A stream with this listener reads what fits into its own small buffer, and no more.
  const look = () => undefined;
  socket.on('readable', look);
  // The server may cut it at any time: that is what such clients are for.
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
