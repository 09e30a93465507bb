/**
 * Unpacks the headless shell of the npm package `@sparticuz/chromium` (x64 Linux) for machines without a browser; the
 * shell needs only glibc. Does not call the package's own code, which unpacks to fixed names in the temporary folder
 * and assumes a cloud function (decisions.mdx#embedded-shell).
 */
import type { FileFolder } from '../../base/program/asset-names.ts';
import { packageFolder } from '../../base/program/assets.ts';
import { parseTar } from 'nanotar';
import {
  directoryOf,
  exists,
  joinPath,
  makeDirectory,
  removeDirectory,
  renamePath,
  unpackBrotli,
  writeBytes,
  writeText,
} from '../../base/runtime/files.ts';
import { architecture, platform } from '../../base/runtime/machine.ts';
import type { Executable } from './executable.ts';

let unpacking: Promise<Executable | undefined> | undefined;

/**
 * The embedded shell, unpacked on first use into the cache directory (about 220 MB, a few seconds). Undefined where the
 * package has no build (anything but x64 Linux) or is not installed.
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

/** The archives: the browser, and the libraries and fonts that a minimal system lacks. */
export const shellArchives = {
  '@sparticuz/chromium': {
    shell: 'bin/chromium.br',
    /** NSS, NSPR and expat. */
    libraries: 'bin/al2023.tar.br',
    fonts: 'bin/fonts.tar.br',
    /** WebGL without a graphics card. */
    swiftshader: 'bin/swiftshader.tar.br',
  },
  // The newest version with archives for a system without SQLite (Amazon Linux 2); later versions omit them.
  'sparticuz-chromium-al2': {
    /** Contains SQLite, without which NSS makes the browser exit at its first TLS connection. */
    sqlite: 'bin/al2.tar.br',
  },
} as const;

const { '@sparticuz/chromium': current, 'sparticuz-chromium-al2': older } = shellArchives;

interface Packed {
  current: FileFolder;
  older: FileFolder;
}

async function packedArchives(): Promise<Packed | undefined> {
  if (platform !== 'linux' || architecture !== 'x64') return undefined;
  const [newest, last] = await Promise.all([
    packageFolder('@sparticuz/chromium', current.shell),
    packageFolder('sparticuz-chromium-al2', older.sqlite),
  ]);
  return newest && last && { current: newest, older: last };
}

async function unpack(cacheDirectory: string): Promise<Executable | undefined> {
  const packed = await packedArchives();
  if (packed === undefined) return undefined;
  // Sizes tell builds apart without reading 67 MB.
  const sizes = await Promise.all([packed.current.size(current.shell), packed.older.size(older.sqlite)]);
  const target = joinPath(cacheDirectory, `shell-${sizes.join('-')}`);
  const executable: Executable = { engine: 'shell', path: joinPath(target, 'chromium') };
  if (await exists(executable.path)) return executable;

  // Unpack next to the target and rename last: another server must never find a half-unpacked browser.
  const partial = `${target}.${crypto.randomUUID()}`;
  await makeDirectory(partial);
  try {
    const [shell, libraries, sqlite, fonts, swiftshader] = await Promise.all([
      packed.current.bytes(current.shell).then(unpackBrotli),
      packed.current.bytes(current.libraries).then(unpackBrotli),
      packed.older.bytes(older.sqlite).then(unpackBrotli),
      packed.current.bytes(current.fonts).then(unpackBrotli),
      packed.current.bytes(current.swiftshader).then(unpackBrotli),
    ]);
    for (const tar of [libraries, fonts]) await writeTar(tar, partial);
    await writeTar(sqlite, partial, (name) => name.includes('libsqlite3'));
    await writeText(joinPath(partial, 'fonts.conf'), fontConfiguration(target));
    // In a subfolder, so that operators start the script and not the binary; its WebGL libraries must be next to it.
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
 * Replaces the package's own file, which names the folders of one cloud provider. Adds the machine's fonts to the
 * bundled ones.
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
