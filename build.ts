// Builds the pages that the service serves and bundles the server. `npm run setup` runs this script, which does nothing
// when no input has changed. --binary also builds the single binary; --browser includes a browser in it.
import { parseArgs } from 'node:util';
import { buildServer } from './src/build/server.ts';
import { buildDocs } from './src/build/docs/build.ts';
import { buildRecorder } from './src/build/recorder.ts';
import { buildUi } from './src/build/pages.ts';

const root = import.meta.dirname;
for (const [name, build] of Object.entries({
  ui: buildUi,
  recorder: buildRecorder,
  server: buildServer,
  docs: buildDocs,
})) {
  const began = performance.now();
  if (await build(root)) console.log(`${name}: built in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
}

const { values } = parseArgs({ options: { binary: { type: 'boolean' }, browser: { type: 'boolean' } } });
if (values.binary === true) {
  const { buildBinary } = await import('./src/build/binary/build-binary.ts');
  const { path, bytes, sha256, notes } = await buildBinary(root, { withBrowser: values.browser === true });
  for (const note of notes) console.log(note);
  console.log(`${path}: ${(bytes / 1e6).toFixed(1)} MB, sha256 ${sha256}`);
}
