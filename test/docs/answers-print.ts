// npm run answers: prints the question for each hand-written page and the sentence that answers it.
import { answers } from './answers.ts';

for (const { path, question, sentence } of answers) console.log(`${question}\n  ${sentence}\n  ${path}\n`);
