/** Refuses paths whose percent escapes cannot be decoded, before any route reads its part of them. */
import { ServiceError } from '../../../base/errors.ts';

/** The refusal of a path that cannot be decoded; undefined for all others. */
export function brokenPath(path: string): ServiceError | undefined {
  if (!path.includes('%')) return undefined;
  try {
    decodeURIComponent(path);
    return undefined;
  } catch {
    return new ServiceError(
      'bad-request',
      `The path ${path.slice(0, 200)} cannot be read: a percent sign begins two hexadecimal digits there, and these make UTF-8. Write "%25" for a percent sign itself.`,
    );
  }
}
