/**
 * Lists, serves, stores, and removes the files of a session: downloads of its pages, and files that clients upload for
 * them (compatibility.mdx#session-files).
 */
import type { Config } from '../../../base/config/config.ts';
import { ServiceError } from '../../../base/errors.ts';
import { orAborted, orReleased } from '../../../base/runtime/deadline.ts';
import { json, noContent } from '../../../base/schema/response/responses.ts';
import { tokenQuery, uploadQuery } from '../../../base/schema/request/query.ts';
import type { SessionFile } from '../../../sessions/lifecycle/list-files.ts';
import type { FileSettings, SessionFiles } from '../../../sessions/lifecycle/session-files.ts';
import { bodyOf } from '../http/body-stream.ts';
import { fileResponse } from '../http/file-response.ts';
import { jsonResponse } from '../http/json-response.ts';
import { sessionFileUrl } from '../http/public-url.ts';
import { timeLimit } from '../pipeline/admission.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';
import { authorizedSession } from './session-auth.ts';
import { sessionFile, sessionFiles } from '../../../base/schema/response/sessions.ts';

const megabyte = 2 ** 20;

/** The settings for session files. */
export function fileSettingsOf({ MAX_SESSION_FILES_MB, SHARED_FILE_DIRS }: Config): FileSettings {
  return { maxBytes: MAX_SESSION_FILES_MB * megabyte, sharedDirectories: SHARED_FILE_DIRS };
}

const auth = (call: Call) => void filesOf(call);

export const listSessionFiles = directRoute('sessions', 'GET /session-files/:id', {
  subject: 'session',
  summary: 'Files of a session',
  description:
    'Lists the files that pages of the session downloaded and that clients uploaded, with their directory on the server. Incomplete downloads are left out.',
  auth,
  query: tokenQuery,
  answers: [json(sessionFiles)],
  errors: ['session-not-found'],
  async handle(call) {
    const { signal } = call;
    const files = filesOf(call);
    const list = await orAborted(files.list(), signal);
    return jsonResponse({ directory: files.directory, files: list.map((file) => entry(file, call)) });
  },
});

export const getSessionFile = directRoute('sessions', 'GET /session-files/:id/:name', {
  subject: 'session',
  summary: 'A session file',
  description: 'Returns a session file as an attachment, regardless of its type.',
  auth,
  query: tokenQuery,
  answers: ['application/octet-stream'],
  errors: ['not-found', 'session-not-found'],
  async handle(call) {
    const { request, parameter, signal } = call;
    const name = parameter('name');
    const file = await orReleased(filesOf(call).read(name), signal, (late) => void late.close());
    return fileResponse(file, name, request);
  },
});

export const putSessionFile = directRoute('sessions', 'PUT /session-files/:id/:name', {
  subject: 'session',
  summary: 'Upload a file to a session',
  description:
    'Stores the request body, of any type, as a file of the session: 201 for a new file, 200 if it replaced one. CDP clients then use its name as the path.',
  auth,
  query: uploadQuery,
  readsFile: true,
  answers: [json(sessionFile), json(sessionFile, 201)],
  errors: ['bad-request', 'session-not-found', 'session-files-full', 'storage-full'],
  async handle(call, { timeout }) {
    const { request, parameter } = call;
    requirePlain(request);
    call.limit(timeLimit(timeout, call));
    const { signal } = call;
    const announced = Number(request.headers.get('content-length') ?? 0) || 0;
    const putting = filesOf(call).put(parameter('name'), bodyOf(request, signal), announced);
    const { file, created } = await orAborted(putting, signal);
    return jsonResponse(entry(file, call), {}, created ? 201 : 200);
  },
});

export const deleteSessionFile = directRoute('sessions', 'DELETE /session-files/:id/:name', {
  subject: 'session',
  summary: 'Remove a session file',
  description: 'Removes a session file; 404 if it does not exist.',
  auth,
  query: tokenQuery,
  answers: [noContent],
  errors: ['not-found', 'session-not-found'],
  async handle(call) {
    const { parameter, signal } = call;
    await orAborted(filesOf(call).remove(parameter('name')), signal);
    return new Response(null, { status: 204, headers: { 'Content-Type': 'text/plain' } });
  },
});

/**
 * The files of the session that the request path identifies. Checks the token that `Browserless.reconnect` set for a
 * kept browser, or else that of the server, before it reveals whether the session exists.
 * @throws ServiceError `unauthorized`, `session-not-found`
 */
function filesOf(call: Call): SessionFiles {
  const id = call.parameter('id');
  const session = authorizedSession(call.services.sessions.registry.find(id), call);
  if (session?.files) return session.files;
  throw new ServiceError(
    'session-not-found',
    session
      ? `Session "${id.slice(0, 100)}" has no files: only browsers that CDP clients connect to have files.`
      : `Couldn't locate session "${id.slice(0, 100)}": it has ended, or never existed.`,
  );
}

/** The file with its public URL, which contains no token. */
function entry(file: SessionFile, { parameter, base }: Call): SessionFile & { url: string } {
  return { ...file, url: sessionFileUrl(base, parameter('id'), file.name) };
}

/** @throws ServiceError `invalid-body` for a compressed body: a file is stored as sent, without a content coding */
function requirePlain({ headers }: Request): void {
  const coding = headers.get('content-encoding')?.trim() ?? '';
  if (coding === '' || coding.toLowerCase() === 'identity') return;
  throw new ServiceError(
    'invalid-body',
    `Files are stored byte for byte, so Content-Encoding ${JSON.stringify(coding.slice(0, 60))} is not supported. ` +
      'Send the file itself, without that header.',
  );
}
