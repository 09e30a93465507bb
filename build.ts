// Builds the documentation that the service serves. `npm run setup` runs it; it does nothing when no input has changed.
import { buildDocs } from './src/docs/build/build.ts';

const { built, pages, milliseconds } = await buildDocs(import.meta.dirname);
if (built) console.log(`docs: ${pages} pages in ${(milliseconds / 1_000).toFixed(1)} s`);
