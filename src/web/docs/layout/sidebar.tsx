/** Renders the page tree of a guide. Groups are native details elements, which work without scripts. */
import type { ReactNode } from 'react';
import type { SidebarItem } from '../site/model.ts';
import { pagesOf } from '../site/sidebars.ts';

function Item({ item, path }: { item: SidebarItem; path: string }): ReactNode {
  const link =
    item.path === undefined ? null : (
      <a
        href={item.path}
        className={item.label.startsWith('/') ? 'route' : undefined}
        aria-current={item.path === path ? 'page' : undefined}
      >
        {item.label}
      </a>
    );
  if (item.items === undefined) return <li>{link}</li>;
  const open = item.path === path || pagesOf(item.items).some((page) => page.path === path);
  return (
    <li className="group">
      {link}
      <details open={open} className={link === null ? undefined : 'beside'}>
        <summary aria-label={link === null ? undefined : `Pages of ${item.label}`}>
          {link === null ? item.label : null}
        </summary>
        <SidebarTree items={item.items} path={path} />
      </details>
    </li>
  );
}

export function SidebarTree({ items, path }: { items: readonly SidebarItem[]; path: string }): ReactNode {
  return (
    <ul>
      {items.map((item) => (
        <Item key={`${item.label}${item.path}`} item={item} path={path} />
      ))}
    </ul>
  );
}
