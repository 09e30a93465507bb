// The README's first steps on a bare system; `npm run bare` also runs all tests there.
import { makeBareRoot, whyNoRoot } from '../../support/bare-root.ts';
import { cloneProject, firstAnswer } from '../../support/clients/first-answer.ts';
import { suite } from '../../support/suite.ts';

const test = suite('a bare Debian');

test.unless(whyNoRoot())(
  'git clone and npm start are enough to take a screenshot of an https page',
  async () => {
    using root = makeBareRoot();
    cloneProject(root);
    console.log(await firstAnswer(root));
  },
  { timeoutMs: 400_000 },
);
