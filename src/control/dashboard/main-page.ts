/** Chooses which page of a session the dashboard shows. */
import type { AttachableSession } from '../../sessions/lifecycle/session.ts';
import type { ListedPage } from '../../sessions/lifecycle/targets.ts';

/** The page opened last that is not empty, otherwise the last page; undefined when there is none. */
export function mainPage({ targets }: AttachableSession): ListedPage | undefined {
  const { pages } = targets;
  return pages.findLast(({ address }) => address !== 'about:blank' && address !== '') ?? pages.at(-1);
}
