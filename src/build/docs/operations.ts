/** Collects what the routes' tables say about each operation of the OpenAPI document. */
import type { ErrorCode } from '../../base/errors.ts';
import { templateOf } from '../../api/routes/manage/openapi-document.ts';
import { errorsOfDirect, errorsOfJob, errorsOfSocket } from '../../api/routes/manage/openapi-responses.ts';
import { openPaths } from '../../api/routes/manage/open-paths.ts';
import { directRoutes, jobRoutes, socketRoutes } from '../../api/routes/table.ts';
import { mounts } from '../../api/routes/pipeline/route.ts';
import type { RouteGroup } from '../../web/docs/site/route-groups.ts';

interface OperationFacts {
  group: RouteGroup;
  isSocket: boolean;
  /** Codes of the errors that it can return. */
  errors: readonly ErrorCode[];
}

/** @returns the operations by method and path template, such as `post /chromium/pdf` */
export function factsByOperation(): ReadonlyMap<string, OperationFacts> {
  const found = new Map<string, OperationFacts>();
  const add = (method: string, path: string, facts: OperationFacts) => {
    const key = `${method.toLowerCase()} ${templateOf(path)}`;
    // A GET and a socket at the same path are one operation, that of the GET.
    const first = found.get(key) ?? facts;
    found.set(key, { ...first, errors: [...new Set([...first.errors, ...facts.errors])] });
  };
  for (const route of jobRoutes) {
    const facts = { group: route.group, isSocket: false, errors: errorsOfJob(route) };
    for (const { prefix } of route.mounts ?? mounts) add('post', `${prefix}/${route.name}`, facts);
  }
  const open = openPaths(directRoutes);
  for (const route of directRoutes) {
    const facts = { group: route.group, isSocket: false, errors: errorsOfDirect(route, open.has(route.path)) };
    for (const method of [route.method, ...(route.otherMethods ?? [])]) add(method, route.path, facts);
  }
  for (const route of socketRoutes) {
    add('get', route.path, { group: route.group, isSocket: true, errors: errorsOfSocket(route) });
  }
  return found;
}
