// Pages use the common terms of the field: they contain neither jargon of the source nor words for which another term
// is established.
import * as assert from 'uvu/assert';
import type { DocsManifest } from '../../src/web/docs/serve/manifest.ts';
import { wrongPhrases } from '../rails/english.ts';
import { builtDocs, builtText } from '../support/built-docs.ts';
import { suite } from '../support/suite.ts';

const test = suite('words of the documentation');
let docs: DocsManifest;

test.before(async () => {
  docs = await builtDocs();
});

/** Words that no page may use, with their replacement. */
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

/** Contributors see the names used in the source. */
const forContributors = /^\/contributing\//;

/** The prose of a page as Markdown: without code and without the targets of links. */
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

test('the finder finds words in prose, and none in code, links and names of files', () => {
  assert.equal(found(proseOf('A robot at the door.')), ['"door": write route, socket, command', '"robot": write bot']);
  assert.equal(found(proseOf('See `door` and [what it is](/door).\n\n```js\nconst markup = door;\n```\n')), []);
  assert.equal(found(proseOf('As robots.txt has it: outdoors, flooring, a please.')), []);
});

test('no page has a word of the source, one for which the trade has another, or a phrase of english.ts', () => {
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

/** If every page had this pair of bullets, nobody would read it. */
const mostChoices = 26;

test('pages with a choice to make say when to use them and what to use instead; others have no such form', () => {
  const [use, instead] = [/^[-*] \*\*Use it\*\* /m, /^[-*] \*\*Use something else\*\* /m];
  const texts = docs.pages.map((path) => ({ path, text: builtText(docs, `${path === '/' ? '/index' : path}.md`) }));
  const choices = texts.filter(({ text }) => use.test(text) || instead.test(text));
  assert.ok(choices.length > 0 && choices.length <= mostChoices, `${choices.length} pages`);
  assert.equal(
    choices.filter(({ text }) => !use.test(text) || !instead.test(text)).map(({ path }) => path),
    [],
  );
});
