/** Tries whether a server could listen at an address. */
import { createServer } from 'node:net';

/** Listens at an address for a moment. @throws the system's error when it is taken or may not be bound */
export async function tryListening(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
