/** Rules for commands that specify files or directories on the server. */
import { listLimits } from '../../../base/limits.ts';
import { isPlainObject } from '../../../base/schema/record.ts';
import { refusalOf } from './address-rules.ts';
import { schemeOf } from './addresses.ts';
import type { Params, RuleContext, Verdict } from './verdict.ts';

const noFiles: Verdict = {
  refuse: 'Files on the server cannot be used here; pass their contents to the page instead.',
};
const notNames: Verdict = { refuse: 'Files must be a list of names.' };

/** Replaces each file that DOM.setFileInputFiles specifies with the path of the shared file. */
export function inputFiles(params: Params, context: RuleContext): Verdict | Promise<Verdict> {
  const { files } = params;
  if (!isListOfTexts(files)) return notNames;
  return withPaths(files, context, (paths) => ({ ...params, files: paths }));
}

/** Checks what Input.dispatchDragEvent drops on a page: a browser opens files and URLs that the page ignores. */
export function draggedData(params: Params, context: RuleContext): Verdict {
  const { data } = params;
  if (!isPlainObject(data)) return { pass: params };
  const { items = [], files = [] } = data;
  if (!Array.isArray(items)) return { refuse: 'Dragged items must be a list.' };
  for (const item of items) {
    const reason = isPlainObject(item) ? refusalOfItem(item, context) : 'A dragged item must be an object.';
    if (reason !== undefined) return { refuse: reason };
  }
  if (!isListOfTexts(files)) return notNames;
  if (files.length === 0 || context.allowsUrl('file:///')) return { pass: params };
  // If the page ignores the drop, the browser navigates to the file itself, with the rights of a local page.
  return { refuse: 'Files cannot be dropped on pages here; set them on an input with DOM.setFileInputFiles.' };
}

/** Saves downloads in the session's directory, regardless of the directory that the client specifies. */
export function downloads(params: Params, context: RuleContext): Verdict | Promise<Verdict> {
  const { behavior, downloadPath, ...rest } = params;
  // A full browser's own default is the download directory of the user that runs the server.
  const kept = behavior === 'default' && context.full ? 'allow' : behavior;
  if (kept !== 'allow' && kept !== 'allowAndName') return { pass: { ...rest, behavior } };
  const { files } = context;
  if (!files) return { pass: { ...rest, behavior: 'deny' } };
  return files
    .downloadDirectory(typeof downloadPath === 'string' ? downloadPath : undefined)
    .then((directory) => ({ pass: { ...rest, behavior: kept, downloadPath: directory } }));
}

function withPaths(
  names: readonly string[],
  context: RuleContext,
  toParams: (paths: string[]) => Params,
): Verdict | Promise<Verdict> {
  const { files } = context;
  if (files) return Promise.all(names.map((name) => files.pathOf(name))).then((paths) => ({ pass: toParams(paths) }));
  // Where pages may open every file, this gives access to nothing more.
  return names.length === 0 || context.allowsUrl('file:///') ? { pass: toParams([...names]) } : noFiles;
}

function refusalOfItem(item: Params, context: RuleContext): string | undefined {
  const { mimeType, data, baseURL } = item;
  if (typeof mimeType !== 'string' || typeof data !== 'string') return 'A dragged item needs a mimeType and data.';
  if (typeof baseURL === 'string' && baseURL !== '') {
    const reason = refusalOf(baseURL, context);
    if (reason !== undefined) return reason;
  }
  // The browser treats other types as text; it opens only this one when the page ignores the drop.
  if (mimeType.trim().toLowerCase() !== 'text/uri-list') return undefined;
  if (data.length > listLimits.textCharacters)
    return `A list of dragged URLs may have at most ${listLimits.textCharacters} characters.`;
  const addresses = data.split(/[\r\n]+/);
  return [data, ...addresses]
    .map((address) => (schemeOf(address) === undefined ? undefined : refusalOf(address, context)))
    .find((reason) => reason !== undefined);
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
