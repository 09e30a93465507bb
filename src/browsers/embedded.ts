/**
 * Unpacks the headless shell of the npm package `@sparticuz/chromium` (x64 Linux) for machines without a browser; the
 * shell needs only glibc. Does not call the package's own code, which unpacks to fixed names in the temporary folder
 * and assumes a cloud function (decisions.mdx#embedded-shell).
 */
import { packageDirectory } from '../runtime/assets.ts';
import { parseTar } from 'nanotar';
import {
  directoryOf,
  exists,
  fileInfo,
  joinPath,
  makeDirectory,
  readBrotli,
  removeDirectory,
  renamePath,
  writeBytes,
  writeText,
} from '../runtime/files.ts';
import { architecture, platform } from '../runtime/machine.ts';
import type { Executable } from './executable.ts';

let unpacking: Promise<Executable | undefined> | undefined;

/**
 * The embedded shell, unpacked on first use into the cache directory (about 220 MB, some seconds).
 * Undefined where the package has no build (anything but x64 Linux) or is not installed.
 */
export function embeddedShell(cacheDirectory: string): Promise<Executable | undefined> {
  unpacking ??= unpack(cacheDirectory).catch((error: unknown) => {
    // Forget the failure: a disk that is full now must not fail every later request.
    unpacking = undefined;
    throw error;
  });
  return unpacking;
}

/** True when the packages with the embedded shell are installed and have a build for this machine. */
export async function embeddedShellAvailable(): Promise<boolean> {
  return (await packedArchives()) !== undefined;
}

/** Paths of the archives: the browser, and the libraries and fonts that a bare system does not have. */
interface Packed {
  shell: string;
  /** NSS, NSPR and expat. */
  libraries: string;
  /** Holds SQLite, without which NSS ends the browser at its first TLS connection. */
  sqlite: string;
  fonts: string;
  /** WebGL without a graphics card. */
  swiftshader: string;
}

async function packedArchives(): Promise<Packed | undefined> {
  if (platform !== 'linux' || architecture !== 'x64') return undefined;
  const [current, older] = await Promise.all([
    archiveDirectory('@sparticuz/chromium', 'chromium.br'),
    // The newest version with archives for a system without SQLite (Amazon Linux 2); later versions omit them.
    archiveDirectory('sparticuz-chromium-al2', 'al2.tar.br'),
  ]);
  if (current === undefined || older === undefined) return undefined;
  return {
    shell: joinPath(current, 'chromium.br'),
    libraries: joinPath(current, 'al2023.tar.br'),
    sqlite: joinPath(older, 'al2.tar.br'),
    fonts: joinPath(current, 'fonts.tar.br'),
    swiftshader: joinPath(current, 'swiftshader.tar.br'),
  };
}

/** The folder of a package's archives; undefined when it is not installed. */
async function archiveDirectory(name: string, archive: string): Promise<string | undefined> {
  const directory = await packageDirectory(name, `bin/${archive}`);
  return directory === undefined ? undefined : joinPath(directory, 'bin');
}

async function unpack(cacheDirectory: string): Promise<Executable | undefined> {
  const packed = await packedArchives();
  if (packed === undefined) return undefined;
  const sizes = await Promise.all([packed.shell, packed.sqlite].map(async (path) => (await fileInfo(path))?.bytes));
  // Sizes tell builds apart without reading 67 MB.
  const target = joinPath(cacheDirectory, `shell-${sizes.join('-')}`);
  const executable: Executable = { engine: 'shell', path: joinPath(target, 'chromium') };
  if (await exists(executable.path)) return executable;

  // Unpack beside the target and rename last: another server must never find a half-unpacked browser.
  const partial = `${target}.${crypto.randomUUID()}`;
  await makeDirectory(partial);
  try {
    const [shell, libraries, sqlite, fonts, swiftshader] = await Promise.all([
      readBrotli(packed.shell),
      readBrotli(packed.libraries),
      readBrotli(packed.sqlite),
      readBrotli(packed.fonts),
      readBrotli(packed.swiftshader),
    ]);
    for (const tar of [libraries, fonts]) await writeTar(tar, partial);
    await writeTar(sqlite, partial, (name) => name.includes('libsqlite3'));
    await writeText(joinPath(partial, 'fonts.conf'), fontConfiguration(target));
    // In a subfolder, so that operators start the script and not the binary; its WebGL libraries must lie beside it.
    await writeTar(swiftshader, joinPath(partial, 'browser'));
    await writeBytes(joinPath(partial, 'browser/headless-shell'), shell, 0o755);
    await writeBytes(joinPath(partial, 'chromium'), new TextEncoder().encode(startScript(target)), 0o755);
    await renamePath(partial, target).catch(async (error: unknown) => {
      // Another server of this user renamed its copy first; both are the same.
      if (!(await exists(executable.path))) throw error;
    });
    return executable;
  } finally {
    await removeDirectory(partial);
  }
}

async function writeTar(tar: Uint8Array, target: string, wanted = (_name: string) => true): Promise<void> {
  for (const entry of parseTar(tar)) {
    if (entry.type !== 'file' || !entry.data || entry.name.includes('..') || !wanted(entry.name)) continue;
    const path = joinPath(target, entry.name);
    await makeDirectory(directoryOf(path));
    await writeBytes(path, entry.data, 0o644);
  }
}

/**
 * The start script. It sets the library and font paths, so that the browser finds them however it is started
 * (SHELL_PATH, a script, a shell). `exec` replaces the script with the browser, so that signals to the process reach
 * the browser.
 */
function startScript(target: string): string {
  return `#!/bin/sh
here='${target.replaceAll("'", `'\\''`)}'
export LD_LIBRARY_PATH="$here/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="\${FONTCONFIG_FILE:-$here/fonts.conf}"
exec "$here/browser/headless-shell" "$@"
`;
}

/**
 * Replaces the package's own file, which names the folders of one cloud. Adds the machine's fonts to the bundled ones.
 */
function fontConfiguration(target: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${target}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
</fontconfig>
`;
}
