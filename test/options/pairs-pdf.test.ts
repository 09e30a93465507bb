// All pairs of options of /pdf, as `npm run options` prints them.
// @tier full
import { suite } from '../support/suite.ts';
import { provePairs } from './pairs/walk.ts';

const test = suite('all pairs of options of /pdf', { timeoutMs: 450_000 });

test('each option has its effect alone, and no pair loses one silently', () => provePairs('pdf', 400));
