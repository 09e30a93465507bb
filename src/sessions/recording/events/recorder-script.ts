/** Reads the built recorder script, once, when the first replay starts. */
import { BuiltFiles } from '../../../base/assets/built-files.ts';
import type { FilesManifest } from '../../../base/assets/manifest.ts';
import { builtFolder } from '../../../base/program/assets.ts';
import type { RecorderSettings } from '../recorder/settings.ts';

const files = new BuiltFiles<FilesManifest>(builtFolder('recorder'));
let texts: Promise<{ noTraces: string; recorder: string }> | undefined;

/**
 * Returns the script for the isolated world of each document. Only the main frame's script records, including its
 * frames.
 * @throws Error when the script is not built
 */
export async function recorderScript(settings: RecorderSettings): Promise<string> {
  const { noTraces, recorder } = await (texts ??= readScripts());
  return `${noTraces}\nif (self === top && !globalThis.browserdRecorder) {${recorder}\nbrowserdRecorder.start(${JSON.stringify(settings)})}`;
}

async function readScripts(): Promise<{ noTraces: string; recorder: string }> {
  try {
    const [noTraces, recorder] = await Promise.all(['/no-traces.js', '/recorder.js'].map(readScript));
    return { noTraces: noTraces ?? '', recorder: recorder ?? '' };
  } catch (error) {
    // The script may have been built by the next call.
    texts = undefined;
    throw error;
  }
}

async function readScript(path: string): Promise<string> {
  const file = (await files.manifest())?.files[path];
  if (!file) throw new Error('The page recorder is not built: run npm run build');
  return files.text(file);
}
