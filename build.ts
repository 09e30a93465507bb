// Builds the pages that the service serves and bundles the server. `npm run setup` runs this script, which does nothing
// when no input has changed. --binary also builds the single binary; --browser includes a browser in it.
import { parseArgs } from 'node:util';
import { buildServer } from './src/build/server.ts';
import { buildDocs } from './src/build/docs/build.ts';
import { buildRecorder } from './src/build/recorder/build-recorder.ts';
import { buildUi } from './src/build/pages/build-ui.ts';

const ui = await buildUi(import.meta.dirname);
if (ui.built) console.log(`ui: ${(ui.milliseconds / 1_000).toFixed(1)} s`);
if (await buildRecorder(import.meta.dirname)) console.log('recorder: built');
if (await buildServer(import.meta.dirname)) console.log('server: bundled');
const { built, pages, milliseconds } = await buildDocs(import.meta.dirname);
if (built) console.log(`docs: ${pages} pages in ${(milliseconds / 1_000).toFixed(1)} s`);

const { values } = parseArgs({ options: { binary: { type: 'boolean' }, browser: { type: 'boolean' } } });
if (values.binary === true) {
  const { buildBinary } = await import('./src/build/binary/build-binary.ts');
  const { path, bytes, sha256, notes } = await buildBinary(import.meta.dirname, {
    withBrowser: values.browser === true,
  });
  for (const note of notes) console.log(note);
  console.log(`${path}: ${(bytes / 1e6).toFixed(1)} MB, sha256 ${sha256}`);
}
