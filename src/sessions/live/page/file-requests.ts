/**
 * Handles file choosers of a watched page: asks the viewers for files, saves them in a separate directory, and sets
 * them in the file input (Page.setInterceptFileChooserDialog, DOM.setFileInputFiles). Viewers cannot name files on the
 * server.
 */
import { storageFailure } from '../../../browser/processes/storage.ts';
import { ignoreFailures } from '../../../browser/cdp/auto-attach.ts';
import type { CdpSession, EventParams } from '../../../browser/cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import { liveViewLimits } from '../../../base/limits.ts';
import { toBase64Url } from '../../../base/runtime/bytes.ts';
import { joinPath, makePrivateDirectory, removeDirectory, writeNewFile } from '../../../base/runtime/files.ts';
import { checkNewName } from '../../lifecycle/file-names.ts';
import type { ServerMessage } from '../protocol/messages.ts';

export interface FileRequestsOptions {
  session: CdpSession;
  /** Contains a separate directory for the files of each request; it is removed with the session. */
  directory: string;
  /** Directories of files delivered to pages of the session, oldest first. */
  delivered: string[];
  /** Limit for the total size of the files of one request, in bytes. */
  maxBytes: number;
  send(message: ServerMessage): void;
}

/** The page's pending request for files. */
interface FileRequest {
  ticket: string;
  multiple: boolean;
  backendNodeId: number;
  directory: string;
  /** Resolves when the directory exists; undefined until the first file arrives. */
  made: Promise<void> | undefined;
  /** Paths of the files that have arrived. */
  paths: string[];
  bytes: number;
}

/** Time in milliseconds after a viewer's action within which a file chooser that opens belongs to that viewer. */
const actedMs = 2_000;
const ticketBytes = 18;

export class FileRequests implements Disposable {
  readonly #options: FileRequestsOptions;
  readonly #stop: () => void;
  #request: FileRequest | undefined;
  /** Set while file choosers are handled here instead of by a script that waits for one. */
  #catching: ReturnType<typeof setTimeout> | undefined;

  constructor(options: FileRequestsOptions) {
    this.#options = options;
    this.#stop = options.session.on('Page.fileChooserOpened', (event) => void this.#opened(event));
  }

  /** Records an action of a viewer that may open a file chooser. */
  acted(): void {
    const { session } = this.#options;
    if (this.#catching === undefined) {
      ignoreFailures([session.send('Page.setInterceptFileChooserDialog', { enabled: true })]);
    }
    clearTimeout(this.#catching);
    this.#catching = setTimeout(() => this.#release(), actedMs);
  }

  /**
   * Saves a file for the page.
   * @throws ServiceError `not-found` for an unknown ticket, `bad-request` for an invalid name or too many files,
   *   `payload-too-large`, `storage-full`; any error that the content throws
   */
  async put(ticket: string, name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const request = this.#requestOf(ticket);
    checkNewName(name);
    const most = request.multiple ? liveViewLimits.uploads : 1;
    if (request.paths.length >= most) {
      throw new ServiceError(
        'bad-request',
        `The page accepts ${most === 1 ? 'only one file' : `at most ${most} files`}.`,
      );
    }
    const path = joinPath(request.directory, name);
    if (request.paths.includes(path)) throw new ServiceError('bad-request', 'Two files have the same name.');
    request.paths.push(path);
    try {
      request.made ??= makePrivateDirectory(request.directory);
      await request.made.catch(failed);
      await writeNewFile(path, this.#measured(content, request)).catch(failed);
    } catch (error) {
      request.paths.splice(request.paths.indexOf(path), 1);
      throw error;
    }
  }

  /** Gives the page the files that have arrived. @throws ServiceError `not-found`, `bad-request` when there are none */
  async deliver(ticket: string): Promise<void> {
    const { paths: files, backendNodeId, directory } = this.#requestOf(ticket);
    if (files.length === 0) throw new ServiceError('bad-request', 'No file has been uploaded yet.');
    this.#request = undefined;
    const { delivered } = this.#options;
    // Pages may still read delivered files; only the newest directories are kept, so that nobody can fill the disk.
    delivered.push(directory);
    for (const old of delivered.splice(0, delivered.length - liveViewLimits.uploadsKept))
      ignoreFailures([removeDirectory(old)]);
    await this.#options.session.send('DOM.setFileInputFiles', { files, backendNodeId }).catch(() => {
      throw new ServiceError('not-found', 'The page no longer accepts files.');
    });
  }

  [Symbol.dispose](): void {
    this.#stop();
    if (this.#catching !== undefined) this.#release();
    this.#forget();
  }

  async #opened({ mode, backendNodeId }: EventParams<'Page.fileChooserOpened'>): Promise<void> {
    const { session, directory, send } = this.#options;
    // Another session of the browser may have enabled the event, for a script that waits for it.
    if (backendNodeId === undefined || this.#catching === undefined) return;
    this.#forget();
    const multiple = mode === 'selectMultiple';
    const ticket = toBase64Url(crypto.getRandomValues(new Uint8Array(ticketBytes)));
    this.#request = {
      ticket,
      multiple,
      backendNodeId,
      directory: joinPath(directory, `upload-${ticket}`),
      made: undefined,
      paths: [],
      bytes: 0,
    };
    const described = await session.send('DOM.describeNode', { backendNodeId }).catch(() => undefined);
    const attributes = described?.node.attributes ?? [];
    const at = attributes.indexOf('accept');
    const accept = at < 0 ? '' : (attributes[at + 1] ?? '');
    send({ t: 'files', upload: `files/${ticket}`, multiple, accept: accept.slice(0, 1_000) });
  }

  #release(): void {
    clearTimeout(this.#catching);
    this.#catching = undefined;
    ignoreFailures([this.#options.session.send('Page.setInterceptFileChooserDialog', { enabled: false })]);
  }

  /** Removes files that were not delivered to the page. */
  #forget(): void {
    const directory = this.#request?.directory;
    this.#request = undefined;
    if (directory !== undefined) ignoreFailures([removeDirectory(directory)]);
  }

  #requestOf(ticket: string): FileRequest {
    if (this.#request?.ticket === ticket) return this.#request;
    throw new ServiceError('not-found', 'The page is no longer asking for these files.');
  }

  async *#measured(content: AsyncIterable<Uint8Array>, request: FileRequest): AsyncGenerator<Uint8Array> {
    const { maxBytes } = this.#options;
    for await (const piece of content) {
      request.bytes += piece.length;
      if (request.bytes > maxBytes) {
        throw new ServiceError(
          'payload-too-large',
          `The files exceed the limit of ${maxBytes} bytes (LIVE_UPLOAD_BYTES).`,
        );
      }
      yield piece;
    }
  }
}

function failed(error: unknown): never {
  throw error instanceof ServiceError ? error : storageFailure(error, 'SCRATCH_DIR');
}
