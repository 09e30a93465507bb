/** A page as files that open without a network: its document, its frames and what they loaded, with links between them. */
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

/** Folder of everything but the document. */
const folder = 'resources/';
/** Frames within frames are followed this deep. */
const maxDepth = 5;
/** More frames than this keep their addresses: each is a document to read, with the paths of all files. */
const maxFrames = 100;
/** Markup of all documents of an archive, in characters; frames beyond keep their addresses. */
const maxMarkup = 100 * 2 ** 20;
const worldName = 'browserd snapshot';

/**
 * The files of the page as it stands; the document is the first, `index.html`. What would load later is loaded before.
 * Scripts are among the files, but a policy in the documents keeps them from running: they have done their work.
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

/** `resources/3-logo.png`: the number keeps names apart, the rest is for people. */
function nameResources(found: ReadonlyMap<string, Resource>): Map<Resource, string> {
  const names = new Map<Resource, string>();
  for (const resource of found.values()) {
    if (names.has(resource)) continue;
    names.set(resource, `${folder}${names.size + 1}-${safeName(resource.url, resource.mimeType)}`);
  }
  return names;
}

/** How a document or sheet refers to a file: names may hold characters that addresses may not. */
function reference(path: string, from: string): string {
  const relative = from === '' ? path : path.slice(folder.length);
  return relative.split('/').map(encodeURIComponent).join('/');
}

function rewritten(resource: Resource, recorder: ResourceRecorder, names: ReadonlyMap<Resource, string>): Uint8Array {
  // Chromium decoded the text; it is UTF-8 now, whatever the sheet says of itself.
  const text = new TextDecoder().decode(resource.bytes).replace(/^\s*@charset\s+"[^"]*"\s*;/i, '');
  const css = rewriteCss(text, resource.url, (url) => {
    const target = recorder.found.get(withoutFragment(url));
    const path = target && names.get(target);
    return path === undefined ? url : reference(path, folder) + url.slice(withoutFragment(url).length);
  });
  return new TextEncoder().encode(css);
}

/** What a snapshot is made of. */
interface Archive {
  page: Page;
  recorder: ResourceRecorder;
  /** Paths of what was loaded. */
  names: ReadonlyMap<Resource, string>;
  /** Frames, as far as they are read. */
  documents: SnapshotFile[];
}

/** The markup of one frame; its own frames are added to the documents first. */
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
      // The page ended, or only the frame did.
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

/** Ids of the frames that a document holds, in its order. */
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
