/** Creates the errors for files that a session cannot keep. */
import { ServiceError } from '../../base/errors.ts';
import { sessionFileLimits } from '../../base/limits.ts';

/** @param maxBytes MAX_SESSION_FILES_MB in bytes */
export function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(
    'session-files-full',
    `The files of a session may have ${maxBytes / 2 ** 20} MB in total (MAX_SESSION_FILES_MB), including downloads. Delete some with DELETE /session-files/<id>/<name>, or raise the setting.`,
  );
}

export function tooMany(): ServiceError {
  return new ServiceError(
    'session-files-full',
    `A session may have ${sessionFileLimits.files} files. Delete some with DELETE /session-files/<id>/<name>; MAX_SESSION_FILES_MB limits their size.`,
  );
}

export function tooManyAtOnce(): ServiceError {
  return new ServiceError(
    'queue-full',
    `Too many requests: a session accepts ${sessionFileLimits.uploadsAtOnce} uploads at a time. Wait for one to finish.`,
  );
}

export function sessionEnded(): ServiceError {
  return new ServiceError('session-ended', 'The session has ended, and its files were deleted.');
}
