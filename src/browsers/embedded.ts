/**
 * The headless shell inside the npm package `@sparticuz/chromium` (x64 Linux), for machines without a browser.
 * The package's own code is not used: it unpacks to fixed names in the temporary folder and guesses at a cloud.
 */
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
import { architecture, platform } from '../runtime/host.ts';
import type { Executable } from './catalog.ts';

let unpacking: Promise<Executable | undefined> | undefined;

/**
 * The embedded shell, unpacked on first use into the cache directory (about 220 MB, some seconds).
 * Undefined where the package has no build (anything but x64 Linux) or is not installed.
 */
export function embeddedShell(cacheDirectory: string): Promise<Executable | undefined> {
  unpacking ??= unpack(cacheDirectory).catch((error: unknown) => {
    // A full disk today must not refuse every later request.
    unpacking = undefined;
    throw error;
  });
  return unpacking;
}

/** True when the package with the embedded shell is installed and has a build for this machine. */
export async function embeddedShellAvailable(): Promise<boolean> {
  return (await packedDirectory()) !== undefined;
}

async function packedDirectory(): Promise<string | undefined> {
  if (platform !== 'linux' || architecture !== 'x64') return undefined;
  try {
    // The entry is build/…/index.js; the archives are in bin/ beside build/.
    const entry = new URL(import.meta.resolve('@sparticuz/chromium')).pathname;
    let directory = directoryOf(entry);
    while (directory.length > 1) {
      const candidate = joinPath(directory, 'bin');
      if (await exists(joinPath(candidate, 'chromium.br'))) return candidate;
      directory = directoryOf(directory);
    }
  } catch {
    // Not installed.
  }
  return undefined;
}

async function unpack(cacheDirectory: string): Promise<Executable | undefined> {
  const packed = await packedDirectory();
  if (packed === undefined) return undefined;
  const archive = await fileInfo(joinPath(packed, 'chromium.br'));
  // Size and package version tell builds apart without reading 67 MB.
  const target = joinPath(cacheDirectory, `shell-${archive?.bytes ?? 0}`);
  const executable: Executable = {
    engine: 'shell',
    path: joinPath(target, 'chromium'),
    environment: {
      LD_LIBRARY_PATH: joinPath(target, 'lib'),
      FONTCONFIG_FILE: joinPath(target, 'fonts.conf'),
    },
  };
  if (await exists(executable.path)) return executable;

  // Unpacked beside its place and renamed as the last step: a half-unpacked browser is never found.
  const partial = `${target}.${crypto.randomUUID()}`;
  await makeDirectory(partial);
  try {
    const [shell, libraries, fonts, swiftshader] = await Promise.all(
      ['chromium.br', 'al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br'].map((name) =>
        readBrotli(joinPath(packed, name)),
      ),
    );
    if (!shell || !libraries || !fonts || !swiftshader) return undefined;
    for (const tar of [libraries, fonts, swiftshader]) await writeTar(tar, partial);
    await writeText(joinPath(partial, 'fonts.conf'), fontConfiguration(target));
    await writeBytes(joinPath(partial, 'chromium'), shell, 0o755);
    await renamePath(partial, target).catch(async (error: unknown) => {
      // Another server of this user was quicker: its copy is the same.
      if (!(await exists(executable.path))) throw error;
    });
    return executable;
  } finally {
    await removeDirectory(partial);
  }
}

async function writeTar(tar: Uint8Array, target: string): Promise<void> {
  for (const entry of parseTar(tar)) {
    if (entry.type !== 'file' || !entry.data || entry.name.includes('..')) continue;
    const path = joinPath(target, entry.name);
    await makeDirectory(directoryOf(path));
    await writeBytes(path, entry.data, 0o644);
  }
}

/** The package's own file names the folders of one cloud; this one adds the machine's fonts to the bundled ones. */
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
