/** Serves the files of a build. Reads nothing before the first request. */
import { preferredEncoding } from '../runtime/http/accept.ts';
import type { FileFolder } from '../program/asset-names.ts';
import type { FilesManifest, ManifestFile } from './manifest.ts';

export class BuiltFiles<Manifest extends FilesManifest> {
  readonly #folder: FileFolder;
  readonly #bodies = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  #manifest: Promise<Manifest | undefined> | undefined;

  /** @param folder the folder with the manifest of the build */
  constructor(folder: FileFolder) {
    this.#folder = folder;
  }

  /** Returns undefined when nothing is built, and a new object after a newer build was found. */
  manifest(): Promise<Manifest | undefined> {
    this.#manifest ??= this.#readManifest();
    return this.#manifest;
  }

  async #readManifest(): Promise<Manifest | undefined> {
    if ((await this.#folder.size('manifest.json')) === undefined) return undefined;
    return JSON.parse(new TextDecoder().decode(await this.#folder.bytes('manifest.json')));
  }

  /** @param file name with `.br` or `.gz` */
  bytes(file: string): Promise<Uint8Array<ArrayBuffer>> {
    const known = this.#bodies.get(file) ?? this.#folder.bytes(`files/${file}`);
    this.#bodies.set(file, known);
    known.catch(() => {
      // A newer build has replaced the file: reload the manifest on the next request.
      this.#bodies.delete(file);
      this.#manifest = undefined;
    });
    return known;
  }

  async text({ name }: ManifestFile): Promise<string> {
    return unpack(await this.bytes(`${name}.gz`));
  }

  /** Responds with a file in the encoding that the client prefers, or with 304 when the client already has it. */
  async respond(request: Request, file: ManifestFile, given: Readonly<Record<string, string>>): Promise<Response> {
    const headers = { ...given, ETag: tagOf(file.name) };
    if (hasTag(request, headers.ETag)) return new Response(null, { status: 304, headers });
    const encoding = preferredEncoding(request.headers.get('accept-encoding'));
    if (encoding === undefined) return new Response(unpacked(await this.bytes(`${file.name}.gz`)), { headers });
    const body = await this.bytes(`${file.name}.${encoding === 'br' ? 'br' : 'gz'}`);
    return new Response(body, { headers: { ...headers, 'Content-Encoding': encoding } });
  }
}

export const tagOf = (name: string): string => `W/"${name}"`;

/** True when the client already has the version with this tag (RFC 9110 section 13.1.2). */
export const hasTag = (request: Request, tag: string): boolean =>
  request.headers
    .get('if-none-match')
    ?.split(',')
    .some((each) => each.trim() === tag || each.trim() === '*') ?? false;

export async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Response(unpacked(bytes)).text();
}

const unpacked = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
