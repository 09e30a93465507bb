/** Puts the URL builder into a page, with the connections that the route table offers. */
import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import type { RouteFact } from '../site/model.ts';
import { useSource } from './facts.tsx';
import { builderDefaults, type Connection, UrlBuilderFields } from './url-builder.tsx';

function connectionsOf(routes: readonly RouteFact[]): Connection[] {
  return routes.flatMap(({ group, method, paths, summary }): Connection[] => {
    if (group === 'rest') {
      const [path = ''] = paths;
      return [{ id: path, label: `REST: ${path}`, path, socket: false, library: 'curl' }];
    }
    if (method !== 'WS') return [];
    return paths
      .filter((path) => !path.includes('{'))
      .map((path) => ({
        id: path,
        label: `${path.endsWith('/playwright') ? 'Playwright' : 'Puppeteer, Playwright over CDP'}: ${path} (${summary})`,
        path,
        socket: true,
        library: path.endsWith('/playwright') ? ('playwright' as const) : ('puppeteer' as const),
      }));
  });
}

export function UrlBuilder(): ReactNode {
  const connections = connectionsOf(useSource().facts.routes);
  // renderToString, unlike the static rendering of the page around it, writes the markers that hydration needs.
  const markup = renderToString(<UrlBuilderFields connections={connections} {...builderDefaults} />);
  return (
    <div
      data-island="url-builder"
      data-props={JSON.stringify({ connections })}
      dangerouslySetInnerHTML={{ __html: markup }}
    />
  );
}
