/**
 * Tells what a call is about when its ids do not name a server: pages have Chromium's ids, recordings outlive their
 * server, and people choose the names of the rest.
 */

/** What one server of a cluster holds, and the others ask for; `session` asks whether a token opens it. */
export const subjectKinds = ['page', 'recording', 'tracking-id', 'profile', 'secret', 'session'] as const;

export interface Subject {
  readonly kind: (typeof subjectKinds)[number];
  readonly name: string;
}

const places: readonly (readonly [RegExp, Subject['kind']])[] = [
  [/^\/devtools\/page\/([^/]+)$/, 'page'],
  [/^\/recordings\/([^/]+)/, 'recording'],
  [/^\/kill\/([\w-]+)$/, 'tracking-id'],
  [/^\/profile\/([^/]+)$/, 'profile'],
  [/^\/secret\/([^/]+)$/, 'secret'],
];

/** Path segments in the place of a name that are none. */
const noNames: readonly string[] = ['/kill/all', '/profile/upload', '/profile/refresh'];

/**
 * @param path as the router reads it
 * @returns undefined for a call that any server may answer
 */
export function subjectOf(path: string, query: URLSearchParams): Subject | undefined {
  for (const [pattern, kind] of places) {
    const name = decoded(pattern.exec(path)?.[1]);
    if (name === undefined || noNames.includes(path)) continue;
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
