// A client that stays connected while others disconnect, and checks whether its page still responds.
import * as assert from 'uvu/assert';
import { rawClient, type RawClient, socketUrl } from './clients.ts';
import type { Service } from '../service.ts';

/** A connected client and a check that its page still responds. */
export interface Neighbor {
  client: RawClient;
  /** Fails unless its page evaluates an expression. */
  assertResponsive(): Promise<void>;
}

/** Connects a client; its name is its tracking id. */
export async function connectNeighbor(of: Service, name: string): Promise<Neighbor> {
  const client = await rawClient(socketUrl(of, '/', { timeout: 0, trackingId: name }));
  const { result } = await client.send('Target.getTargets');
  const targets = result?.['targetInfos'] as { type: string; targetId: string }[]; // As the protocol defines it.
  const targetId = targets.find(({ type }) => type === 'page')?.targetId;
  const attached = await client.send('Target.attachToTarget', { targetId, flatten: true });
  const sessionId = String(attached.result?.['sessionId']);
  const evaluate = async (expression: string) =>
    (await client.send('Runtime.evaluate', { expression }, sessionId)).result?.['result'];
  await evaluate(`document.title = '${name}'`);
  return {
    client,
    assertResponsive: async () => assert.equal(await evaluate('document.title'), { type: 'string', value: name }),
  };
}
