// Pages use common terms: they contain neither jargon from the source code nor words for which a different term
// is established. Every page starts with a sentence, and each written page answers its own question.
import * as assert from 'uvu/assert';
import { firstSentences } from '../../src/web/docs/search/records.ts';
import type { DocsManifest } from '../../src/web/docs/serve/manifest.ts';
import { wrongPhrases } from '../rails/english.ts';
import { builtDocs, builtText } from '../support/built-docs.ts';
import { suite } from '../support/suite.ts';
import { writtenPages } from './written-pages.ts';

const test = suite('words of the documentation', { timeoutMs: 180_000 });
let docs: DocsManifest;

test.before(async () => {
  docs = await builtDocs();
});

/** Words that pages must not use, with their replacement. */
const banned: readonly [word: RegExp, instead: string][] = [
  [/\bdoors?\b/i, 'route, socket, command'],
  [/\bleas(e|es|ed)\b/i, 'browser in use'],
  [/\bfloors?\b/i, 'baseline'],
  [/\brobots?\b(?!\.txt)/i, 'bot'],
  [/\bmark-?up\b/i, 'HTML'],
  [/\bspares?\b/, 'waiting browser'],
  [/\bshield(s|ed)?\b/i, 'protection'],
  [/\bgates?\b/i, 'check, filter'],
  [/\brails?\b/i, 'check'],
  [/\bislands?\b/i, 'component'],
  [/\bswitch(es)? of (the )?(launch|browser|Chromium)\b/i, 'flag'],
];

/** Pages for contributors may use names from the source code. */
const forContributors = /^\/contributing\//;

/** A page's prose as Markdown: without code and link targets. */
function proseOf(markdown: string): string {
  return markdown
    .replace(/```[\s\S]*?```/g, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/\]\([^)\s]*\)/g, ']');
}

const found = (text: string) => [
  ...wrongPhrases(text),
  ...banned.flatMap(([word, instead]) => {
    const [match] = word.exec(text) ?? [];
    return match === undefined ? [] : [`"${match}": write ${instead}`];
  }),
];

test('banned words are found in prose, but not in code, link targets and file names', () => {
  assert.equal(found(proseOf('A robot at the door.')), ['"door": write route, socket, command', '"robot": write bot']);
  assert.equal(found(proseOf('See `door` and [what it is](/door).\n\n```js\nconst markup = door;\n```\n')), []);
  assert.equal(found(proseOf('As robots.txt has it: outdoors, flooring, a please.')), []);
});

test('no page contains source code jargon, a banned word, or a phrase from english.ts', () => {
  const wrong = docs.pages.flatMap((path) =>
    proseOf(builtText(docs, `${path === '/' ? '/index' : path}.md`))
      .split('\n')
      .flatMap((line) =>
        (forContributors.test(path) ? wrongPhrases(line) : found(line)).map(
          (word) => `${path}: ${word} in "${line.trim().slice(0, 120)}"`,
        ),
      ),
  );
  assert.equal(wrong, []);
});

/** If every page had this pair of bullets, nobody would read them. */
const maxChoicePages = 26;

test('pages with a "Use it" bullet also say what to use instead, and not every page has them', () => {
  const [use, instead] = [/^[-*] \*\*Use it\*\* /m, /^[-*] \*\*Use something else\*\* /m];
  const texts = docs.pages.map((path) => ({ path, text: builtText(docs, `${path === '/' ? '/index' : path}.md`) }));
  const choices = texts.filter(({ text }) => use.test(text) || instead.test(text));
  assert.ok(choices.length > 0 && choices.length <= maxChoicePages, `${choices.length} pages`);
  assert.equal(
    choices.filter(({ text }) => !use.test(text) || !instead.test(text)).map(({ path }) => path),
    [],
  );
});

/** The paragraphs before the first heading of a page, as plain text. */
function openingOf(path: string): string {
  const [, body = ''] = builtText(docs, `${path === '/' ? '/index' : path}.md`).split(/^# .*\n+/m);
  return (body.split(/^## /m)[0] ?? '')
    .replace(/^```[^]*?^```$/gm, '')
    .split(/\n{2,}/)
    .filter((block) => block !== '' && !/^(?:[-*] |\||>|#)/.test(block))
    .map((block) => block.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/`|(?<!\\)\*+/g, ''))
    .join(' ');
}

test('every page starts with a sentence', () => {
  for (const path of docs.pages) {
    assert.match(firstSentences(openingOf(path), 1), /^[A-Z].{7,}[.!?:]$/s, path);
  }
});

test('each written page answers a question that no other page answers', () => {
  const questions = writtenPages().map(({ path, question }) => {
    assert.match(question, /^[A-Z].{8,}\?$/, path);
    return question;
  });
  assert.is(new Set(questions).size, questions.length);
});
