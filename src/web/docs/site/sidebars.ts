/** Builds the sidebars from the places that the front matter of the pages gives, and finds pages in them. */
import type { Sidebar, SidebarItem } from './model.ts';

const guides = [
  { id: 'overview', label: 'Overview', short: 'Overview' },
  { id: 'browserQL', label: 'BrowserQL', short: 'BrowserQL' },
  { id: 'baasV2', label: 'BaaS V2', short: 'BaaS V2' },
  { id: 'restApis', label: 'REST APIs', short: 'REST APIs' },
  { id: 'enterprise', label: 'Enterprise', short: 'Enterprise' },
  { id: 'aiIntegrations', label: 'AI Integrations', short: 'AI Integrations' },
  { id: 'baasV1', label: 'BaaS V1 (Deprecated)', short: 'BaaS V1' },
] as const;

export const sidebarIds = guides.map(({ id }) => id);

interface PlacedPage {
  path: string;
  title: string;
  sidebar: readonly {
    id: (typeof sidebarIds)[number];
    /** Label of the group that the page is in. */
    group?: string | undefined;
    /** Rank of the page in the sidebar. A group is where its first page is. */
    position: number;
  }[];
}

/** Returns the sidebars of the written pages. A page in /category/ is the landing page of its group. */
export function sidebarsOf(pages: readonly PlacedPage[]): Sidebar[] {
  return guides.map((guide) => {
    const entries = pages
      .flatMap(({ path, title, sidebar }) => sidebar.map((place) => ({ ...place, path, title })))
      .filter(({ id }) => id === guide.id)
      .toSorted((a, b) => a.position - b.position);
    const groups = Map.groupBy(entries, ({ group, path }) => group ?? path);
    const items = [...groups].flatMap(([label, members]): SidebarItem[] => {
      const links = members.map(({ path, title }) => ({ label: title, path }));
      if (members.every(({ group }) => group === undefined)) return links;
      const landing = links.find(({ path }) => path.startsWith('/category/'));
      return [{ ...landing, label, items: links.filter((link) => link !== landing) }];
    });
    return { ...guide, items };
  });
}

/** Returns all pages of a sidebar in reading order, including landing pages of groups. */
export function pagesOf(items: readonly SidebarItem[]): { path: string; label: string }[] {
  return items.flatMap((item) => [
    ...(item.path === undefined ? [] : [{ path: item.path, label: item.label }]),
    ...pagesOf(item.items ?? []),
  ]);
}

/** Returns the groups above a page, with the page's own item last; empty if the page is not in this list. */
export function trailOf(items: readonly SidebarItem[], path: string): SidebarItem[] {
  for (const item of items) {
    if (item.path === path) return [item];
    const below = trailOf(item.items ?? [], path);
    if (below.length > 0) return [item, ...below];
  }
  return [];
}

/** Returns the sidebar of a page: the last one that contains it, because the first page about version 1 is in two. */
export function sidebarOf(sidebars: readonly Sidebar[], path: string): Sidebar | undefined {
  return sidebars.findLast(({ items }) => trailOf(items, path).length > 0);
}
