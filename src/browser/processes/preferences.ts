/**
 * Writes the preferences that a full browser reads when it starts: URLs that none of its pages may open, no matter what
 * requests them (scripts, extensions, keyboard shortcuts of its window), and where it saves files automatically. The
 * headless shell has neither such pages nor preferences.
 */
import { isPlainObject } from '../../base/schema/record.ts';
import { joinPath, makeDirectory, readTextIfThere, writeText } from '../../base/runtime/files.ts';
import { valuesOf } from './flags.ts';

/** In the format of Chromium's URL filters (https://chromeenterprise.google/policies/url-patterns). */
const blocked = ['chrome://*', 'chrome-untrusted://*', 'devtools://*', 'view-source:*', 'filesystem:*'];
/** The address bar of a window is a page too; without this exception, the browser shows it to clients. */
const allowed = ['chrome://omnibox-popup.top-chrome'];

export interface PreferenceOptions {
  /** The profile directory. */
  dataDirectory: string;
  /** Where the browser saves files automatically. */
  downloadDirectory: string;
  /** True when pages may show `file:` URLs. */
  allowFiles: boolean;
  /** Arguments of the request. */
  args: readonly string[];
}

/** Adds the preferences to those that a profile already has. */
export async function writePreferences(options: PreferenceOptions): Promise<void> {
  const { dataDirectory, downloadDirectory, allowFiles, args } = options;
  const directory = joinPath(dataDirectory, valuesOf('--profile-directory', args).at(-1) ?? 'Default');
  const path = joinPath(directory, 'Preferences');
  const present = parse(await readTextIfThere(path));
  const section = (name: string) => {
    const value = present[name];
    return isPlainObject(value) ? value : {};
  };
  await makeDirectory(directory);
  await writeText(
    path,
    JSON.stringify({
      ...present,
      policy: {
        ...section('policy'),
        url_blocklist: allowFiles ? blocked : [...blocked, 'file://*'],
        url_allowlist: allowed,
      },
      download: { ...section('download'), default_directory: downloadDirectory, prompt_for_download: false },
      // A page that calls print() would open a dialog, which nobody answers and which holds up Page.printToPDF.
      printing: { ...section('printing'), enabled: false },
      savefile: { ...section('savefile'), default_directory: downloadDirectory },
    }),
  );
}

/** The preferences of a profile; none when its file is damaged, which Chromium replaces too. */
function parse(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}
