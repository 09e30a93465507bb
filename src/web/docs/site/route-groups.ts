/** Groups the operations of the API reference. */
import type { RouteFact } from './model.ts';

interface RouteGroup {
  title: string;
  id: string;
  text: string;
  has(route: RouteFact): boolean;
}

const sessionPaths = /^\/(session|sessions|session-files|reconnect|kill|browser)(\/|$)/;
const recordingPaths = /^\/recordings(\/|$)/;

/** In page order; an operation belongs to the first group that matches it. */
const routeGroups: readonly RouteGroup[] = [
  {
    title: 'REST APIs',
    id: 'rest-apis',
    text: 'One JSON request, one response. The same body works under every browser prefix.',
    has: ({ kind }) => kind === 'rest',
  },
  {
    title: 'BrowserQL',
    id: 'browserql',
    text: 'GraphQL documents that drive a browser.',
    has: ({ kind, path }) => kind === 'bql' || (kind === 'socket' && /\/bql\b/.test(path)),
  },
  {
    title: 'WebSocket APIs',
    id: 'websocket-apis',
    text: 'Endpoints that Puppeteer and Playwright connect to.',
    has: ({ kind }) => kind === 'socket',
  },
  {
    title: 'Sessions',
    id: 'sessions',
    text: 'Browsers that outlive a connection, their files and their live views.',
    has: ({ kind, path }) => kind === 'session' || sessionPaths.test(path),
  },
  {
    title: 'Recordings',
    id: 'recordings',
    text: 'Videos and replays stored on the server.',
    has: ({ path }) => recordingPaths.test(path),
  },
  {
    title: 'Management APIs',
    id: 'management-apis',
    text: 'The state of the server. These requests do not occupy a slot.',
    has: () => true,
  },
];

/** Returns the groups with their operations, without empty groups. */
export function groupRoutes(routes: readonly RouteFact[]): { group: RouteGroup; members: RouteFact[] }[] {
  const byGroup = Map.groupBy(routes, (route) => routeGroups.find((group) => group.has(route)));
  return routeGroups.flatMap((group) => {
    const members = byGroup.get(group);
    return members === undefined ? [] : [{ group, members }];
  });
}

/** Returns the id of an operation's heading: `post-screenshot`. */
export function operationId({ method, path }: Pick<RouteFact, 'method' | 'path'>): string {
  const words = path.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
  return `${method.toLowerCase()}-${words || 'root'}`.toLowerCase();
}
