/**
 * Finds and reads the prebuilt DevTools front-end in the npm package `@react-native/debugger-frontend`
 * (decisions.mdx#devtools-front-end). No file is read before the first request.
 */
import type { FileFolder } from '../../../base/program/asset-names.ts';
import { packageFolder } from '../../../base/program/assets.ts';

export interface FrontEnd {
  /** Version of the package. */
  version: string;
  /** A file by its path in the front-end, such as `core/sdk/sdk.js`; undefined when it is not served. */
  file(path: string): FrontEndFile | undefined;
}

export interface FrontEndFile {
  contentType: string;
  /** ETag: changes with the content. */
  tag(): Promise<string>;
  /** Reads the file. @throws the file system error if the file no longer exists */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** The bytes compressed with gzip; undefined for types that are already compressed. */
  gzipped: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined;
}

const contentTypes: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
};

/** The pages that inspect a browser page: with its screen next to the panels, and without. */
const pages: readonly string[] = ['inspector.html', 'devtools_app.html'];

/** The package, and the folder in it that contains the front-end. */
export const frontEndPackage = '@react-native/debugger-frontend';
export const frontEndFolder = 'dist/third-party/front_end/';

let found: Promise<FrontEnd | undefined> | undefined;

/** The front-end; undefined while the package is not installed. */
export function frontEnd(): Promise<FrontEnd | undefined> {
  found ??= find().then((front) => {
    // Look again on the next request: the package may be installed while the server is running.
    if (front === undefined) found = undefined;
    return front;
  });
  return found;
}

async function find(): Promise<FrontEnd | undefined> {
  try {
    const directory = await packageFolder(frontEndPackage, 'package.json');
    if (directory === undefined) return undefined;
    const text = new TextDecoder().decode(await directory.bytes('package.json'));
    const { version }: { version: unknown } = JSON.parse(text);
    const served = (await directory.names())
      .flatMap((name) => (name.startsWith(frontEndFolder) ? [name.slice(frontEndFolder.length)] : []))
      .filter(isServedFile);
    // Use a table of the existing files, so that no part of a request ever becomes part of a file path.
    const files = new Map(served.map((path) => [path, fileAt(directory, frontEndFolder + path, String(version))]));
    return { version: String(version), file: (path) => files.get(path) };
  } catch {
    return undefined;
  }
}

/** False for files that only serve front-end tests or targets other than pages. */
export function isServedFile(path: string): boolean {
  const isPage = path.endsWith('.html');
  return isPage ? pages.includes(path) : path !== 'Tests.js' && !path.startsWith('legacy_test_runner/');
}

function fileAt(directory: FileFolder, path: string, version: string): FrontEndFile {
  const contentType = contentTypes[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const bytes = () => directory.bytes(path);
  let packed: Promise<Uint8Array<ArrayBuffer>> | undefined;
  /** Cached, because a browser requests about 120 files concurrently. All files together take 4 MB. */
  const gzipped = () => {
    packed ??= bytes().then(pack);
    packed.catch(() => (packed = undefined));
    return packed;
  };
  return {
    contentType,
    tag: async () => `W/"${version}-${await directory.size(path)}"`,
    bytes,
    gzipped: /^image\/(?!svg)/.test(contentType) ? undefined : gzipped,
  };
}

async function pack(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
