/** Exports a page as files that open offline: document, frames and resources, with links rewritten to local paths. */
import type { CdpSession } from '../../cdp/connection.ts';
import { toBase64 } from '../../../base/runtime/bytes.ts';
import { isolateCanvas } from '../../injected/canvas.ts';
import { needsCors, rewriteCss } from '../../injected/css-links.ts';
import { scrollPosition, scrollToPosition } from '../../injected/document.ts';
import { restoreStates } from '../../injected/page-state.ts';
import { toExpression } from '../page-function.ts';
import { extensionOf, safeName } from '../file-name.ts';
import type { Page } from '../page.ts';
import { type Resource, type ResourceRecorder, withoutFragment } from './resource-recorder.ts';
import { scrollThrough } from '../capture/scroll.ts';
import {
  type ArchiveFiles,
  framesOf,
  loadLazy,
  type SavedDocument,
  snapshot,
  sourceUrls,
} from '../../injected/snapshot.ts';

export interface SnapshotFile {
  /** Path in the archive, with `/` between its parts. */
  path: string;
  bytes: Uint8Array;
}

/** Folder of every file except `index.html`. */
const folder = 'resources/';
/** Depth of nested frames that the export follows. */
const maxDepth = 5;
/** Frames beyond this number keep their URL: each costs a document to read, with the paths of all files. */
const maxFrames = 100;
/** Total size of the frame documents of an archive, in bytes; frames beyond it keep their URL. */
const maxMarkup = 100 * 2 ** 20;
/** Total size of the files whose text is read in a document, in bytes. */
const maxSources = 10 * 2 ** 20;
/** Total size of the resources that are written into documents and style sheets, in bytes. */
const maxInlined = 50 * 2 ** 20;
/** Canvases of a page that are captured as pictures, and the pixels of each; others are left out. */
const maxPictures = 20;
const maxPicturePixels = 2 ** 24;
const worldName = 'browserd snapshot';

/**
 * Returns the files of the page in its current state, `index.html` first, after loading lazy content. Scripts are among
 * the files, but a Content-Security-Policy in the documents keeps them from running a second time.
 */
export async function takeSnapshot(page: Page, recorder: ResourceRecorder): Promise<SnapshotFile[]> {
  if (page.javaScriptEnabled) {
    const position = await page.evaluate(scrollPosition);
    await page.evaluate(loadLazy);
    await scrollThrough(page);
    await page.evaluate(scrollToPosition, ...position);
  }
  await recorder.settled();
  const names = nameResources(recorder.found);
  const documents: SnapshotFile[] = [];
  const archive: Archive = {
    page,
    recorder,
    names,
    byReference: new Map([...names].map(([resource, path]) => [reference(path), resource])),
    documents,
    sheets: [],
    urls: new Set(),
    inlineMark: `inline-${crypto.randomUUID()}:`,
    inlined: 0,
    restore: await restoreScript(),
    pictures: new Map(),
  };
  const index = await readFrame(archive, page.session, page.mainFrameId, 0);
  const written = new Set<Resource>();
  const resources = [...recorder.found.values()].flatMap((resource): SnapshotFile[] => {
    const path = names.get(resource);
    if (path === undefined || written.has(resource)) return [];
    written.add(resource);
    return [{ path, bytes: resource.kind === 'Stylesheet' ? rewritten(resource, archive) : resource.bytes }];
  });
  return [{ path: 'index.html', bytes: index.bytes }, ...documents, ...archive.sheets, ...resources];
}

/** Assigns paths such as `resources/3-logo.png`: the number makes them unique, the name is for people. */
function nameResources(found: ReadonlyMap<string, Resource>): Map<Resource, string> {
  const names = new Map<Resource, string>();
  for (const resource of found.values()) {
    if (names.has(resource)) continue;
    names.set(resource, `${folder}${names.size + 1}-${fileName(resource)}`);
  }
  return names;
}

/** A name whose extension says the type where browsers go by it: for style sheets and SVG. */
function fileName({ url, kind, mimeType }: Resource): string {
  const name = safeName(url, mimeType);
  const type = kind === 'Stylesheet' ? 'text/css' : mimeType;
  const extension = extensionOf(type);
  const matters = /^(?:text\/css|image\/svg\+xml)$/.test(type) || name.endsWith('.svg');
  return !matters || extension === undefined || name.endsWith(`.${extension}`) ? name : `${name}.${extension}`;
}

/** URL of a file relative to its folder, percent-encoded because names may contain characters that URLs may not. */
function reference(path: string): string {
  return encodeURIComponent(path.slice(folder.length));
}

function rewritten(resource: Resource, archive: Archive): Uint8Array {
  const { recorder, names, urls } = archive;
  const css = rewriteCss(sourceOf(resource), resource.url, (url, property) => {
    const plain = withoutFragment(url);
    const fragment = url.slice(plain.length);
    if (fragment !== '' && urls.has(plain)) return fragment;
    const target = recorder.found.get(plain);
    const path = target && names.get(target);
    if (target === undefined || path === undefined) return url;
    return ((needsCors(property) && dataUrl(archive, target)) || reference(path)) + fragment;
  });
  return new TextEncoder().encode(css);
}

/** The resource as `data:` URL; undefined when the archive has too many of them. */
function dataUrl(archive: Archive, { mimeType, bytes }: Resource): string | undefined {
  if (archive.inlined + bytes.length > maxInlined) return undefined;
  archive.inlined += bytes.length;
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'application/octet-stream';
  return `data:${type};base64,${toBase64(bytes)}`;
}

/** Replaces the marks that `snapshot` has left for `data:` URLs. */
function withData(archive: Archive, text: string, toFolder: string): Uint8Array {
  const complete = text.replace(new RegExp(`${archive.inlineMark}([^;]*);`, 'g'), (_, file: string) => {
    const resource = archive.byReference.get(file);
    if (!resource) return archive.pictures.get(file) ?? 'data:,';
    return dataUrl(archive, resource) ?? toFolder + file;
  });
  return new TextEncoder().encode(complete);
}

/** Chromium has decoded the text and we write UTF-8, regardless of the charset that the style sheet declares. */
function sourceOf({ bytes }: Resource): string {
  return new TextDecoder().decode(bytes).replace(/^\s*@charset\s+"[^"]*"\s*;/i, '');
}

/** State of one export. */
interface Archive {
  page: Page;
  recorder: ResourceRecorder;
  /** Paths of the recorded resources. */
  names: ReadonlyMap<Resource, string>;
  /** Frame documents read so far. */
  documents: SnapshotFile[];
  /** Style sheets that scripts have changed. */
  sheets: SnapshotFile[];
  /** URLs of the documents that have been read. */
  urls: Set<string>;
  /** The resources by their URLs in the folder. */
  byReference: ReadonlyMap<string, Resource>;
  inlineMark: string;
  restore: ArchiveFiles['restore'];
  /** Size of the resources written as `data:` URLs so far, in bytes. */
  inlined: number;
  /** Pictures of canvases as `data:` URLs, by their marks. */
  pictures: Map<string, string>;
}

/** The script with which a document sets the states of its elements. */
async function restoreScript(): Promise<ArchiveFiles['restore']> {
  const script = toExpression(restoreStates, []);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script));
  return { script, source: `'sha256-${toBase64(new Uint8Array(hash))}'` };
}

/** Returns the document of one frame, after adding the documents of its child frames to the archive. */
async function readFrame(
  archive: Archive,
  session: CdpSession,
  frameId: string,
  depth: number,
): Promise<Pick<SavedDocument, 'extension'> & { bytes: Uint8Array }> {
  const { page, recorder, names, documents } = archive;
  const toFolder = depth === 0 ? folder : '';
  const { executionContextId: contextId } = await page.until(
    session.send('Page.createIsolatedWorld', { frameId, worldName }),
  );
  const frames: string[] = [];
  for (const child of depth < maxDepth ? await childFrames(page, session, contextId) : []) {
    const markup = documents.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (documents.length >= maxFrames || markup > maxMarkup) {
      frames.push('');
      continue;
    }
    const file: SnapshotFile = { path: `${folder}frame-${documents.length + 1}`, bytes: new Uint8Array() };
    documents.push(file);
    try {
      const childSession = recorder.sessions.get(child) ?? session;
      const { bytes, extension } = await readFrame(archive, childSession, child, depth + 1);
      file.bytes = bytes;
      file.path += `.${extension}`;
      frames.push(toFolder + reference(file.path));
    } catch (error) {
      // If only the frame was closed, leave it out; if the page was closed or the request has ended, the export fails.
      if (page.signal.aborted || page.failure.aborted) throw error;
      documents.splice(documents.indexOf(file), 1);
      frames.push('');
    }
  }
  const files = Object.fromEntries(
    [...recorder.found].flatMap(([url, resource]) => {
      const path = names.get(resource);
      return path === undefined ? [] : [[url, reference(path)]];
    }),
  );
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await page.until(
      session.send('Runtime.evaluate', { expression, contextId, returnByValue: true }),
    );
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  // The functions return this.
  const urls = (await evaluate(toExpression(sourceUrls, []))) as string[];
  const given: ArchiveFiles = {
    files,
    folder: toFolder,
    frames,
    sources: sourcesOf(urls, recorder),
    inlineMark: archive.inlineMark,
    restore: archive.restore,
    sheetPath: `changed-${archive.sheets.length}-`,
  };
  // The same.
  const saved = (await evaluate(toExpression(snapshot, [given]))) as SavedDocument;
  const { url, extension, sheets, unread } = saved;
  // A frame cannot be captured on its own.
  const taken = depth === 0 ? await takePictures(archive, unread) : 0;
  const missing = unread.length - taken;
  const markup =
    missing === 0 ? saved.markup : `${saved.markup}<!-- not saved: drawings of ${missing} canvas elements -->\n`;
  archive.urls.add(url);
  for (const [path, css] of Object.entries(sheets)) {
    archive.sheets.push({ path: folder + path, bytes: withData(archive, css, '') });
  }
  return { bytes: withData(archive, markup, toFolder), extension };
}

/** Captures canvases of the page itself, whose drawings scripts cannot read. @returns how many */
async function takePictures({ page, pictures }: Archive, indices: readonly number[]): Promise<number> {
  if (indices.length === 0) return 0;
  await page.send('Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a: 0 } });
  for (const index of indices.slice(0, maxPictures)) {
    try {
      const size = await page.evaluate(isolateCanvas, index);
      const pixels = size ? size.width * size.height : 0;
      if (size === undefined || pixels === 0 || pixels > maxPicturePixels) continue;
      const clip = { x: 0, y: 0, ...size, scale: 1 };
      const { data } = await page.send('Page.captureScreenshot', { format: 'png', clip, captureBeyondViewport: true });
      pictures.set(`canvas-${index}`, `data:image/png;base64,${data}`);
    } catch (error) {
      // The drawing is left out, unless the page was closed or the request has ended.
      if (page.signal.aborted || page.failure.aborted) throw error;
    }
  }
  return pictures.size;
}

/** The texts of recorded resources. */
function sourcesOf(urls: readonly string[], { found }: ResourceRecorder): Record<string, string> {
  let left = maxSources;
  return Object.fromEntries(
    [...new Set(urls)].flatMap((url) => {
      const resource = found.get(withoutFragment(url));
      if (resource === undefined || (left -= resource.bytes.length) < 0) return [];
      return [[url, sourceOf(resource)]];
    }),
  );
}

/** Ids of the frames in a document, in document order. */
async function childFrames(page: Page, session: CdpSession, contextId: number): Promise<string[]> {
  const expression = toExpression(framesOf, []);
  const { result } = await page.until(session.send('Runtime.evaluate', { expression, contextId }));
  if (result.objectId === undefined) return [];
  const { objectId } = result;
  const list = await page.until(session.send('Runtime.getProperties', { objectId, ownProperties: true }));
  const elements = list.result.filter(({ name }) => /^\d+$/.test(name));
  return Promise.all(
    elements.map(async ({ value }) => {
      const { node } = await page.until(session.send('DOM.describeNode', { objectId: value?.objectId ?? '' }));
      return node.frameId ?? '';
    }),
  );
}
