/** Chooses the page of a session that people see. */
import type { AttachableSession } from '../../sessions/lifecycle/session.ts';
import type { ShownPage } from '../../sessions/lifecycle/targets.ts';

/** The page that opened last, unless it is empty; undefined when there is none. */
export function mainPage({ targets }: AttachableSession): ShownPage | undefined {
  const { pages } = targets;
  return pages.findLast(({ address }) => address !== 'about:blank' && address !== '') ?? pages.at(-1);
}
