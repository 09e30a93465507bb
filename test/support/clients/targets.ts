// Opens pages and attaches to targets over a bare socket.
import type { RawClient } from './clients.ts';
import { until } from '../until.ts';

interface TargetInfo {
  targetId: string;
  type: string;
  url: string;
}

/** A property of a protocol object; undefined for anything else. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;

/** The value of an expression in a session. */
export async function valueOf(client: RawClient, expression: string, sessionId?: string): Promise<unknown> {
  const params = { expression, returnByValue: true, awaitPromise: true };
  return member((await client.send('Runtime.evaluate', params, sessionId)).result?.['result'], 'value');
}

/** Opens a page and attaches to it. */
export async function openPage(client: RawClient, url: string): Promise<{ targetId: string; sessionId: string }> {
  const { result } = await client.send('Target.createTarget', { url });
  const targetId = String(result?.['targetId']);
  const sessionId = await attach(client, targetId);
  await until('the page to load', () =>
    valueOf(client, 'document.readyState === "complete" && location.href !== "about:blank"', sessionId),
  );
  return { targetId, sessionId };
}

export async function attach(client: RawClient, targetId: string): Promise<string> {
  const { result } = await client.send('Target.attachToTarget', { targetId, flatten: true });
  return String(result?.['sessionId']);
}

/** The targets and sessions in the events with this name. */
export const targetsOf = ({ events }: RawClient, method: string) =>
  events
    .filter((event) => event.method === method)
    .map(({ params, sessionId }) => ({
      info: params?.['targetInfo'] as TargetInfo, // As the protocol defines it.
      session: String(params?.['sessionId']),
      parent: sessionId,
      waiting: params?.['waitingForDebugger'],
    }));
