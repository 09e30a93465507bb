// npm run generate: writes the files that are generated from other files of the repository (generated.ts).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/checks/tools.ts';
import { written } from './generated.ts';

for (const [path, text] of await written()) writeFileSync(join(root, path), text);
