/**
 * Finds the resource that a request refers to when its id does not identify a server: page ids come from Chromium,
 * recordings outlive their server, and users choose the other names.
 */

/**
 * Resources that one server in a cluster holds and the others look up; `session` looks up whether a token grants access
 * to it.
 */
export const resourceKinds = ['page', 'recording', 'tracking-id', 'profile', 'secret', 'session'] as const;

export interface ResourceRef {
  readonly kind: (typeof resourceKinds)[number];
  readonly name: string;
}

const resourcePatterns: readonly (readonly [RegExp, ResourceRef['kind']])[] = [
  [/^\/devtools\/page\/([^/]+)$/, 'page'],
  [/^\/recordings\/([^/]+)/, 'recording'],
  [/^\/kill\/([\w-]+)$/, 'tracking-id'],
  [/^\/profile\/([^/]+)$/, 'profile'],
  [/^\/secret\/([^/]+)$/, 'secret'],
];

/** Paths whose last segment is not a name. */
const nonResourcePaths: readonly string[] = ['/kill/all', '/profile/upload', '/profile/refresh'];

/**
 * @param path the path as the router parses it
 * @returns undefined for a request that any server can serve
 */
export function resourceOf(path: string, query: URLSearchParams): ResourceRef | undefined {
  for (const [pattern, kind] of resourcePatterns) {
    const name = decoded(pattern.exec(path)?.[1]);
    if (name === undefined || nonResourcePaths.includes(path)) continue;
    return { kind, name };
  }
  const profile = query.get('profile');
  return profile === null || profile === '' ? undefined : { kind: 'profile', name: profile };
}

function decoded(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
