/** Defines the groups of the API reference; each route names its group. */

/** In page order. */
const routeGroups = {
  rest: {
    title: 'REST APIs',
    text: 'One JSON request, one response. The same body works under every browser prefix.',
  },
  browserql: { title: 'BrowserQL', text: 'GraphQL documents that drive a browser.' },
  sockets: { title: 'WebSocket APIs', text: 'Endpoints that Puppeteer and Playwright connect to.' },
  sessions: { title: 'Sessions', text: 'Browsers that outlive a connection, their files and their live views.' },
  recordings: { title: 'Recordings', text: 'Videos and replays stored on the server.' },
  profiles: {
    title: 'Profiles and secrets',
    text: 'Cookies and storage of signed-in browsers, and values that BrowserQL types without reading them.',
  },
  manage: { title: 'Management APIs', text: 'The state of the server. These requests do not occupy a slot.' },
};

export type RouteGroup = keyof typeof routeGroups;

/** Returns the groups with their operations; the id is that of the heading. */
export const groupRoutes = <Route extends { group: RouteGroup }>(routes: readonly Route[]) =>
  Object.entries(routeGroups).map(([name, { title, text }]) => ({
    group: { id: title.toLowerCase().replaceAll(' ', '-'), title, text },
    members: routes.filter(({ group }) => group === name),
  }));

/** Returns the id of an operation's heading: `post-screenshot`. */
export function operationId({ method, path }: { method: string; path: string }): string {
  const words = path.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
  return `${method.toLowerCase()}-${words || 'root'}`.toLowerCase();
}
