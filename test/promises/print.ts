// npm run promises: writes the table of attacks into the security page, and its promises into README.md and SECURITY.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, generatedFiles } from './written.ts';

for (const [path, text] of await generatedFiles()) writeFileSync(join(root, path), text);
