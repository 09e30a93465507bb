// npm run generate: writes the files that are generated from other files of the repository (generated.ts).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/checks/tools.ts';
import { generatedFiles } from './generated.ts';

for (const [path, text] of await generatedFiles()) writeFileSync(join(root, path), text);
