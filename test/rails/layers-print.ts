// npm run layers: writes the tables of folders into the architecture page, and the drawing of the layers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/checks/tools.ts';
import { written } from './layers-written.ts';

for (const [path, text] of await written()) writeFileSync(join(root, path), text);
