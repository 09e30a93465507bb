// Builds the pages that the service serves, and bundles the server: `npm run setup` runs it; it does nothing when no input has changed.
import { buildServer } from './src/build/server.ts';
import { buildDocs } from './src/docs/build/build.ts';
import { buildRecorder } from './src/recording/build/build-recorder.ts';
import { buildUi } from './src/ui/build/build-ui.ts';

const ui = await buildUi(import.meta.dirname);
if (ui.built) console.log(`ui: ${(ui.milliseconds / 1_000).toFixed(1)} s`);
if (await buildRecorder(import.meta.dirname)) console.log('recorder: built');
if (await buildServer(import.meta.dirname)) console.log('server: bundled');
const { built, pages, milliseconds } = await buildDocs(import.meta.dirname);
if (built) console.log(`docs: ${pages} pages in ${(milliseconds / 1_000).toFixed(1)} s`);
