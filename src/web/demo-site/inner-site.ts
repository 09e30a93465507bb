/**
 * Runs the demo site for the egress: connections to http://playground.localhost/ end in this process, in a server that
 * has only these pages. The server starts with the first connection.
 */
import type { InnerServer } from '../../base/runtime/http/inner-server.ts';
import { connectTo, type Socket } from '../../base/runtime/tcp.ts';

const connectLimitMs = 5_000;

/** @param protectPort keeps pages from reaching the server's port directly */
export function createInnerSite(protectPort: (port: number) => () => void) {
  let started: Promise<InnerServer> | undefined;
  let release: (() => void) | undefined;
  const start = async () => {
    const { serveDemoSite } = await import('./response.ts');
    const { listenInternally } = await import('../../base/runtime/http/inner-server.ts');
    const server = await listenInternally((request) => serveDemoSite(request, new URL(request.url).pathname, ''));
    release = protectPort(server.port);
    return server;
  };
  return {
    async connect(): Promise<Socket> {
      const { port } = await (started ??= start());
      return connectTo('127.0.0.1', port, connectLimitMs);
    },
    async [Symbol.asyncDispose]() {
      release?.();
      await (await started)?.close();
    },
  };
}
