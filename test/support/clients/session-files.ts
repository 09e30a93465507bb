// Uploads and lists session files over HTTP, on a server with the token `secret-token`.
import { type RawClient, rawClient, sessionsOf, socketUrl } from './clients.ts';
import { type Reply, send } from './http.ts';
import { succeeded } from '../checks/expect.ts';
import type { Service } from '../service.ts';

export interface FileEntry {
  name: string;
  size: number;
  modifiedOn: number;
  path: string;
  url: string;
}

export interface FileList {
  directory: string;
  files: FileEntry[];
}

export const token = 'secret-token';
export const authorization = `Bearer ${token}`;

/** Starts a session of a CDP client. */
export async function openSession(service: Service, query = {}): Promise<{ client: RawClient; id: string }> {
  const before = new Set((await sessionsOf(service)).map(({ id }) => id));
  const client = await rawClient(socketUrl(service, '/', query));
  const entry = (await sessionsOf(service)).find(({ id }) => !before.has(id));
  return { client, id: entry?.id ?? '' };
}

export interface Upload {
  name: string;
  body: string | Uint8Array;
  headers?: Record<string, string>;
}

export function putFile(service: Service, id: string, { name, body, headers = {} }: Upload): Promise<Reply> {
  return send(`${service.url}/session-files/${id}/${encodeURIComponent(name)}`, {
    method: 'PUT',
    headers: { authorization, ...headers },
    body,
  });
}

export async function listFiles(service: Service, id: string): Promise<FileList> {
  return succeeded(await service.get(`/session-files/${id}`)).json<FileList>();
}

export async function fileNames(service: Service, id: string): Promise<string[]> {
  return (await listFiles(service, id)).files.map(({ name }) => name);
}
