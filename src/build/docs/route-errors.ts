/** Collects the possible errors of each operation from the routes' tables. */
import type { ErrorCode } from '../../base/errors.ts';
import { templateOf } from '../../api/routes/manage/openapi-document.ts';
import { errorsOfDirect, errorsOfJob, errorsOfSocket } from '../../api/routes/manage/openapi-responses.ts';
import { openPaths } from '../../api/routes/manage/open-paths.ts';
import { directRoutes, jobRoutes, socketRoutes } from '../../api/routes/table.ts';
import { mounts } from '../../api/routes/pipeline/route.ts';

/** @returns the error codes by method and path template, such as `post /chromium/pdf` */
export function errorsByOperation(): ReadonlyMap<string, ReadonlySet<ErrorCode>> {
  const found = new Map<string, Set<ErrorCode>>();
  const add = (method: string, path: string, codes: readonly ErrorCode[]) => {
    const key = `${method.toLowerCase()} ${templateOf(path)}`;
    found.set(key, new Set([...(found.get(key) ?? []), ...codes]));
  };
  for (const route of jobRoutes) {
    for (const { prefix } of route.mounts ?? mounts) add('post', `${prefix}/${route.name}`, errorsOfJob(route));
  }
  const open = openPaths(directRoutes);
  for (const route of directRoutes) {
    for (const method of [route.method, ...(route.otherMethods ?? [])])
      add(method, route.path, errorsOfDirect(route, open.has(route.path)));
  }
  for (const route of socketRoutes) add('get', route.path, errorsOfSocket(route));
  return found;
}
