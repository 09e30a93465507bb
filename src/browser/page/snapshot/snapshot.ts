/** Exports a page as files that open offline: document, frames and resources, with links rewritten to local paths. */
import type { CdpSession } from '../../cdp/connection.ts';
import { rewriteCss } from '../../injected/css-links.ts';
import { toExpression } from '../page-function.ts';
import { safeName } from '../file-name.ts';
import type { Page } from '../page.ts';
import { type Resource, type ResourceRecorder, withoutFragment } from './resource-recorder.ts';
import { scrollThrough } from '../capture/scroll.ts';
import { framesOf, loadLazy, snapshot } from '../../injected/snapshot.ts';

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
  const archive: Archive = { page, recorder, names, documents };
  const index = await readFrame(archive, page.session, page.mainFrameId, 0);
  const encoder = new TextEncoder();
  const written = new Set<Resource>();
  const resources = [...recorder.found.values()].flatMap((resource): SnapshotFile[] => {
    const path = names.get(resource);
    if (path === undefined || written.has(resource)) return [];
    written.add(resource);
    return [{ path, bytes: resource.kind === 'Stylesheet' ? rewritten(resource, recorder, names) : resource.bytes }];
  });
  return [{ path: 'index.html', bytes: encoder.encode(index) }, ...documents, ...resources];
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

/** Relative URL of a file, percent-encoded because names may contain characters that URLs may not. */
function reference(path: string, from: string): string {
  const relative = from === '' ? path : path.slice(folder.length);
  return relative.split('/').map(encodeURIComponent).join('/');
}

function rewritten(resource: Resource, recorder: ResourceRecorder, names: ReadonlyMap<Resource, string>): Uint8Array {
  // Chromium has decoded the text and we write UTF-8, regardless of the charset that the style sheet declares.
  const text = new TextDecoder().decode(resource.bytes).replace(/^\s*@charset\s+"[^"]*"\s*;/i, '');
  const css = rewriteCss(text, resource.url, (url) => {
    const target = recorder.found.get(withoutFragment(url));
    const path = target && names.get(target);
    return path === undefined ? url : reference(path, folder) + url.slice(withoutFragment(url).length);
  });
  return new TextEncoder().encode(css);
}

/** State of one export. */
interface Archive {
  page: Page;
  recorder: ResourceRecorder;
  /** Paths of the recorded resources. */
  names: ReadonlyMap<Resource, string>;
  /** Frame documents read so far. */
  documents: SnapshotFile[];
}

/** Returns the markup of one frame, after adding the documents of its child frames to the archive. */
async function readFrame(archive: Archive, session: CdpSession, frameId: string, depth: number): Promise<string> {
  const { page, recorder, names, documents } = archive;
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
      frames.push(reference(path, depth === 0 ? '' : folder));
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
      return path === undefined ? [] : [[url, reference(path, depth === 0 ? '' : folder)]];
    }),
  );
  const expression = toExpression(snapshot, [files, frames]);
  const { result, exceptionDetails } = await page.until(
    session.send('Runtime.evaluate', { expression, contextId, returnByValue: true }),
  );
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return String(result.value);
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
