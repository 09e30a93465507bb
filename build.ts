// Builds what the service serves besides its own code: the documentation. Run by `npm run setup`; does nothing when
// nothing has changed.
import { buildDocs } from './src/docs/build/build.ts';

const { built, pages, milliseconds } = await buildDocs(import.meta.dirname);
if (built) console.log(`docs: ${pages} pages in ${(milliseconds / 1_000).toFixed(1)} s`);
