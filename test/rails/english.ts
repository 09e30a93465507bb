// Phrases that comments and pages must not use, each with what to write instead. A native speaker stumbles over them;
// .github/CONTRIBUTING.md states the rule behind them.

const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bof (?:its|their|his|your|our|one's) own\b(?=[.,;:)]|$)/i, 'its own …, a separate …'],
  [/\b(?:told|tells|tell) of\b|\b(?:is|are) told\b(?! to)/i, 'says, reports, returns, called with'],
  [/\bfor ever\b/i, 'forever'],
  [/\banew\b/i, 'again'],
  [/\bwho(?:so)?ever\b/i, 'the party that is meant'],
  [/\bwhom\b/i, 'the party that is meant'],
  [/(?<!there )\bis none\b/i, 'is not one, there is none'],
  [/\bmeanwhile\b/i, 'in the meantime, or nothing'],
  [/\bno more\b(?=[.,;:)]|$)/i, 'no longer'],
  [/\b(?:but|save) for\b(?! (?:a|the) (?:moment|while))/i, 'except'],
  [/\bfor so long\b|\bso many (?:milliseconds|seconds|bytes|characters)\b/i, 'the limit by its name'],
  [/\b(?:lest|thereby|hereby|therein|whereby)\b/i, 'a plain clause'],
  [/\bcounts no\b/i, 'is no longer valid'],
  [/\bcolours?\b/i, 'color'],
  [/\bbehaviours?\b/i, 'behavior'],
  [/\blicences?\b/i, 'license'],
  [/\bcentres?\b/i, 'center'],
  [/\bgrey\b/i, 'gray'],
  [/\bcatalogues?\b/i, 'catalog'],
  [/\b(?:cancell|labell|modell|travell)(?:ed|ing)\b/i, 'one l'],
  [
    /\b(?:serial|initial|recogn|organ|normal|minim|maxim|optim|author|synchron|random|summar|central)is(?:e|es|ed|ing|ation)\b/i,
    '-ize',
  ],
];

/** Returns the problems of a text, such as `"whom": write …`. */
export const wrongPhrases = (text: string): string[] =>
  phrases.flatMap(([phrase, instead]) => {
    const [match] = phrase.exec(text) ?? [];
    return match === undefined ? [] : [`"${match}": write ${instead}`];
  });
