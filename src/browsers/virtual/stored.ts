/** Asks a browser how much the pages of some contexts store. */
import { type BrowserConnection } from '../../cdp/connection.ts';
import type { TargetInfo } from './target-info.ts';

/**
 * Bytes that the origins of the targets store: caches, databases, private files, service workers. Origins without a
 * target count for nothing.
 * @throws what the browser throws
 */
export async function storedBy(connection: BrowserConnection, targets: readonly TargetInfo[]): Promise<number> {
  const contexts = Map.groupBy(targets, ({ browserContextId = '' }) => browserContextId);
  const sums = [...contexts].map(async ([, members]) => {
    // Only a page answers for its context.
    const page = members.find(({ type }) => type === 'page');
    if (!page) return 0;
    const { sessionId } = await connection.root.send('Target.attachToTarget', {
      targetId: page.targetId,
      flatten: true,
    });
    const origins = new Set(members.map(({ url }) => originOf(url)).filter((origin) => origin !== undefined));
    const usages = await Promise.allSettled(
      [...origins].map((origin) => connection.session(sessionId).send('Storage.getUsageAndQuota', { origin })),
    );
    connection.root.send('Target.detachFromTarget', { sessionId }).catch(() => {});
    return usages.reduce((sum, usage) => sum + (usage.status === 'fulfilled' ? usage.value.usage : 0), 0);
  });
  return (await Promise.all(sums)).reduce((sum, each) => sum + each, 0);
}

/** The origin of a page that can store something. */
function originOf(url: string): string | undefined {
  const origin = URL.parse(url)?.origin;
  return origin === 'null' ? undefined : origin;
}
