// Opens calls with virtual browsers: contexts of a process that they share with others.
import { socketUrl } from './clients.ts';
import { keep, longMs, openSocket, type OpenOptions, type SocketCall } from './open-calls.ts';
import type { Service } from '../service.ts';

export const virtualKinds = ['CDP', 'kept by reconnect', 'BrowserQL'] as const;
export type VirtualKind = (typeof virtualKinds)[number];

/** Opens a call; its name is its tracking id. A BrowserQL client reconnects to the browser of a document. */
export async function openVirtualCall(
  kind: VirtualKind,
  name: string,
  service: Service,
  options: OpenOptions = {},
): Promise<SocketCall> {
  const query = { trackingId: name, isolation: 'context', timeout: options.limitMs ?? longMs };
  const rest = { id: name, options, forget: async () => {} };
  if (kind !== 'BrowserQL') return openSocket(socketUrl(service, '/', query), kind === 'CDP' ? [] : [keep], rest);
  const document = `mutation { reconnect(timeout: ${longMs}) { browserWSEndpoint } }`;
  const reply = await service.post('/chromium/bql', { query: document }, { query: { ...query, timeout: longMs } });
  const endpoint = new URL(reply.json<BqlReconnect>().data.reconnect.browserWSEndpoint);
  endpoint.searchParams.set('timeout', String(query.timeout));
  return openSocket(endpoint.href, [keep], rest);
}

interface BqlReconnect {
  data: { reconnect: { browserWSEndpoint: string } };
}
