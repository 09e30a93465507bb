/**
 * Loads the operator's extensions (EXTENSIONS_DIR) into full browsers. Clients choose them by name, with the switches
 * that Chromium has for paths. Each browser receives a copy, because Chromium writes to the directories of its
 * extensions.
 *
 * Chromium lets an unpacked extension read every file of the user it runs as if its manifest allows `file:` URLs, and
 * clients can reach the workers of extensions. So the copy has no such permission.
 */
import type { CdpSession } from '../../cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import { extensionLimits } from '../../../base/limits.ts';
import { toBase64 } from '../../../base/runtime/bytes.ts';
import { copyTree, CopyError } from '../../../base/runtime/copy-tree.ts';
import { sha256 } from '../../../base/runtime/crypto/hashes.ts';
import {
  directoriesIn,
  joinPath,
  makePrivateDirectory,
  readTextIfThere,
  writeText,
} from '../../../base/runtime/files.ts';
import { isPlainObject } from '../../../base/schema/record.ts';
import type { LaunchOptions } from '../../../base/schema/request/launch.ts';

const switchForm = /^--(?:load-extension|disable-extensions-except)(?:=|$)/;

/**
 * True for a switch that lists extensions. Neither switch is passed to Chromium, where the second, like the first,
 * loads the extensions that it lists.
 */
export const namesExtensions = (arg: string): boolean => switchForm.test(arg);

const nameForm = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** The names of extensions in a list of arguments, each once. */
function extensionNames(args: readonly string[]): string[] {
  const values = args.filter(namesExtensions).map((arg) => arg.replace(switchForm, ''));
  return [...new Set(values.flatMap((value) => value.split(',')).filter((name) => name !== ''))];
}

/**
 * Checks the extensions that launch options request. If the client did not choose a kind of browser, selects a full
 * one.
 * @param root the directory of extensions; undefined when the operator has set none
 * @throws ServiceError `invalid-launch` for a name that is not an extension on this server, and with the headless shell
 */
export async function withExtensions(launch: LaunchOptions, root: string | undefined): Promise<LaunchOptions> {
  const names = extensionNames(launch.args);
  if (names.length === 0) return launch;
  await requireNames(names, root);
  if (launch.headless === 'shell')
    throw refused('the headless shell does not support them; leave "headless" out, or set it to true');
  const { headless = true } = launch;
  return launch.stealth === true ? launch : { ...launch, headless };
}

/**
 * @throws ServiceError `invalid-launch` for a request whose browser cannot load extensions
 * @param instead what the client should do instead
 */
export function requireNoExtensions({ args }: LaunchOptions, instead: string): void {
  if (extensionNames(args).length > 0) throw refused(instead);
}

/** The extensions that clients may name, sorted. */
async function offered(root: string): Promise<string[]> {
  const names = await directoriesIn(root);
  return names.filter((name) => nameForm.test(name)).toSorted();
}

/** @returns the directory of extensions */
async function requireNames(names: readonly string[], root: string | undefined): Promise<string> {
  if (root === undefined) throw refused('this server has none; its operator can set EXTENSIONS_DIR');
  if (names.length > extensionLimits.perBrowser) throw refused(`at most ${extensionLimits.perBrowser} at a time`);
  const known = await offered(root);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return root;
  const listed = known.slice(0, extensionLimits.listed).join(', ');
  throw refused(
    `${JSON.stringify(unknown.slice(0, 100))} is unknown; available names, without a path: ${listed === '' ? 'none' : listed}`,
  );
}

/**
 * Copies the extensions that the arguments specify to a directory of the browser.
 * @param scratchDirectory the browser's scratch directory; the copies are removed with it
 * @returns the directories of the copies
 * @throws ServiceError `invalid-launch` as documented for `withExtensions`, or with the name of the extension and what
 *   is wrong with it
 */
export async function copyExtensions(
  args: readonly string[],
  root: string | undefined,
  scratchDirectory: string,
): Promise<{ name: string; path: string }[]> {
  const names = extensionNames(args);
  if (names.length === 0) return [];
  const directory = await requireNames(names, root);
  const copies = joinPath(scratchDirectory, 'extensions');
  await makePrivateDirectory(copies);
  const made: { name: string; path: string }[] = [];
  for (const name of names) {
    const path = joinPath(copies, name);
    await copyTree(joinPath(directory, name), path, extensionLimits).catch((error: unknown) => {
      throw error instanceof CopyError ? unusable(name, error.message) : error;
    });
    const manifestPath = joinPath(path, 'manifest.json');
    await writeText(manifestPath, JSON.stringify(safeManifest(name, await readTextIfThere(manifestPath))));
    made.push({ name, path });
  }
  return made;
}

/**
 * Has a browser load copies of extensions (CDP `Extensions.loadUnpacked`, which branded browsers accept as well).
 * @throws ServiceError `invalid-launch` that names the extension that the browser rejects
 */
export async function loadExtensions(
  root: CdpSession,
  copies: readonly { name: string; path: string }[],
): Promise<void> {
  for (const { name, path } of copies) {
    // One at a time, so that the error names the extension that fails.
    await root.send('Extensions.loadUnpacked', { path }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message.replaceAll(path, name) : String(error);
      throw unusable(name, `the browser rejected it: ${reason}`);
    });
  }
}

/**
 * Permissions with which anyone who can reach an extension could reach files on the server, or addresses that its
 * filter blocks.
 */
const refusedPermissions = new Set(['debugger', 'downloads', 'nativeMessaging', 'proxy']);
const permissionLists = ['permissions', 'optional_permissions'];

/** The manifest without access to files, and with an id that depends only on the name. */
function safeManifest(name: string, text: string | undefined): Record<string, unknown> {
  const manifest = parse(text);
  if (manifest === undefined) throw unusable(name, 'its manifest.json is missing or not a JSON object');
  const asked = permissionLists.flatMap((key) => manifest[key] ?? []);
  const forbidden = asked.find((each) => typeof each === 'string' && refusedPermissions.has(each.trim()));
  if (forbidden !== undefined) {
    throw unusable(name, `its permission ${JSON.stringify(forbidden)} is not allowed on this server`);
  }
  // Chromium derives the id from this field or, without it, from the path, which is different for each browser.
  const key = toBase64(sha256(`extension ${name}`));
  const members = Object.entries(manifest).map(([member, value]) => [member, withoutFiles(value)] as const);
  return { key, ...Object.fromEntries(members) };
}

/**
 * Returns a value of a manifest without patterns that match files. This includes patterns of content scripts: Chromium
 * treats all of them as URLs that the extension may read.
 */
function withoutFiles(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => patternsOf(each) ?? [withoutFiles(each)]);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutFiles(each)]));
}

/** The patterns to use instead of one that matches files; undefined for any other value. */
function patternsOf(value: unknown): string[] | undefined {
  if (typeof value !== 'string') return undefined;
  const pattern = value.trim().toLowerCase();
  if (pattern.startsWith('file:')) return [];
  return pattern === '<all_urls>' ? ['http://*/*', 'https://*/*'] : undefined;
}

function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse((text ?? '').replace(/^\uFEFF/, ''));
    return isPlainObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The error for a server that has only the headless shell. */
export const withoutFullBrowser = (): ServiceError =>
  refused('they need a full browser, and this server has only the headless shell');

function refused(reason: string): ServiceError {
  return new ServiceError('invalid-launch', `Extensions cannot be loaded: ${reason}.`, {
    issues: [{ path: 'launch.args', message: `extensions cannot be loaded: ${reason}` }],
  });
}

function unusable(name: string, reason: string): ServiceError {
  return refused(`${JSON.stringify(name)} cannot be used because ${reason}`);
}
