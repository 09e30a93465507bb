/** Exports a page as files that open offline: document, frames and resources, with links rewritten to local paths. */
import type { CdpSession } from '../../cdp/connection.ts';
import { rewriteCss } from '../../injected/css-links.ts';
import { toExpression } from '../page-function.ts';
import { safeName } from '../file-name.ts';
import type { Page } from '../page.ts';
import { type Resource, type ResourceRecorder, withoutFragment } from './resource-recorder.ts';
import { scrollThrough } from '../capture/scroll.ts';
import { type ArchiveFiles, framesOf, loadLazy, type SavedDocument, snapshot } from '../../injected/snapshot.ts';
import { sheetUrls } from '../../injected/style-rules.ts';

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
/** Total size of the style sheets that are compared with their rules in a document, in characters. */
const maxSources = 10 * 2 ** 20;
const worldName = 'browserd snapshot';

/**
 * Returns the files of the page in its current state, `index.html` first, after loading lazy content. Scripts are among
 * the files, but a Content-Security-Policy in the documents keeps them from running a second time.
 */
export async function takeSnapshot(page: Page, recorder: ResourceRecorder): Promise<SnapshotFile[]> {
  if (page.javaScriptEnabled) {
    await page.evaluate(loadLazy);
    await scrollThrough(page);
  }
  await recorder.settled();
  const names = nameResources(recorder.found);
  const documents: SnapshotFile[] = [];
  const archive: Archive = { page, recorder, names, documents, sheets: [], read: 0 };
  const index = await readFrame(archive, page.session, page.mainFrameId, 0);
  const encoder = new TextEncoder();
  const written = new Set<Resource>();
  const resources = [...recorder.found.values()].flatMap((resource): SnapshotFile[] => {
    const path = names.get(resource);
    if (path === undefined || written.has(resource)) return [];
    written.add(resource);
    return [{ path, bytes: resource.kind === 'Stylesheet' ? rewritten(resource, recorder, names) : resource.bytes }];
  });
  return [{ path: 'index.html', bytes: encoder.encode(index) }, ...documents, ...archive.sheets, ...resources];
}

/** Assigns paths such as `resources/3-logo.png`: the number makes them unique, the name is for people. */
function nameResources(found: ReadonlyMap<string, Resource>): Map<Resource, string> {
  const names = new Map<Resource, string>();
  for (const resource of found.values()) {
    if (names.has(resource)) continue;
    names.set(resource, `${folder}${names.size + 1}-${safeName(resource.url, resource.mimeType)}`);
  }
  return names;
}

/** URL of a file relative to its folder, percent-encoded because names may contain characters that URLs may not. */
function reference(path: string): string {
  return encodeURIComponent(path.slice(folder.length));
}

function rewritten(resource: Resource, recorder: ResourceRecorder, names: ReadonlyMap<Resource, string>): Uint8Array {
  const css = rewriteCss(sourceOf(resource), resource.url, (url) => {
    const target = recorder.found.get(withoutFragment(url));
    const path = target && names.get(target);
    return path === undefined ? url : reference(path) + url.slice(withoutFragment(url).length);
  });
  return new TextEncoder().encode(css);
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
  /** Number of documents read so far. */
  read: number;
}

/** Returns the markup of one frame, after adding the documents of its child frames to the archive. */
async function readFrame(archive: Archive, session: CdpSession, frameId: string, depth: number): Promise<string> {
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
    const path = `${folder}frame-${documents.length + 1}.html`;
    const file: SnapshotFile = { path, bytes: new Uint8Array() };
    documents.push(file);
    try {
      const childSession = recorder.sessions.get(child) ?? session;
      const html = await readFrame(archive, childSession, child, depth + 1);
      file.bytes = new TextEncoder().encode(html);
      frames.push(`${toFolder}${reference(path)}`);
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
  const urls = (await evaluate(toExpression(sheetUrls, []))) as string[];
  const sources = sourcesOf(urls, recorder);
  const given: ArchiveFiles = { files, folder: toFolder, frames, sources, sheetPath: `changed-${archive.read++}-` };
  // The same.
  const { html, sheets } = (await evaluate(toExpression(snapshot, [given]))) as SavedDocument;
  const encoder = new TextEncoder();
  for (const [path, css] of Object.entries(sheets)) {
    archive.sheets.push({ path: `${folder}${path}`, bytes: encoder.encode(css) });
  }
  return html;
}

/** The recorded style sheets with these URLs. */
function sourcesOf(urls: readonly string[], { found }: ResourceRecorder): Record<string, string> {
  let left = maxSources;
  return Object.fromEntries(
    urls.flatMap((url) => {
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
