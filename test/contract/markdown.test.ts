// POST /markdown as clients use it: every field of /content, on every path of the route.
import * as assert from 'uvu/assert';
import { pageContract } from '../support/checks/contract.ts';

pageContract({
  route: 'markdown',
  contentType: 'text/markdown; charset=UTF-8',
  check: ({ text }) => assert.is(text, '# Hello\n\nA paragraph of text.\n'),
});
