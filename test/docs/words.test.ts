// Pages say things in the trade's words: the jargon of the source, and words for which the trade has another, stay out.
import * as assert from 'uvu/assert';
import type { DocsManifest } from '../../src/web/docs/serve/manifest.ts';
import { builtDocs, builtText } from '../support/built-docs.ts';
import { suite } from '../support/suite.ts';

const test = suite('words of the documentation');
let docs: DocsManifest;

test.before(async () => {
  docs = await builtDocs();
});

/** Words that no page may use, with what to write instead. */
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

/** Contributors read the names of the source. */
const forContributors = /^\/contributing\//;

/** The prose of a page as Markdown: without code and without the targets of links. */
function proseOf(markdown: string): string {
  return markdown
    .replace(/```[\s\S]*?```/g, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/\]\([^)\s]*\)/g, ']');
}

const found = (text: string) =>
  banned.flatMap(([word, instead]) => {
    const [match] = word.exec(text) ?? [];
    return match === undefined ? [] : [`"${match}": write ${instead}`];
  });

test('the finder finds words in prose, and none in code, links and names of files', () => {
  assert.equal(found(proseOf('A robot at the door.')), ['"door": write route, socket, command', '"robot": write bot']);
  assert.equal(found(proseOf('See `door` and [what it is](/door).\n\n```js\nconst markup = door;\n```\n')), []);
  assert.equal(found(proseOf('As robots.txt has it: outdoors, flooring, a please.')), []);
});

test('no page has a word of the source, or one for which the trade has another', () => {
  const wrong = docs.pages
    .filter((path) => !forContributors.test(path))
    .flatMap((path) =>
      proseOf(builtText(docs, `${path === '/' ? '/index' : path}.md`))
        .split('\n')
        .flatMap((line) => found(line).map((word) => `${path}: ${word} in "${line.trim().slice(0, 120)}"`)),
    );
  assert.equal(wrong, []);
});

/** Pages that are looked up, not followed. */
const lookedUp =
  /^\/$|^\/(contributing|components|category|bql-schema)\/|^\/(open-api|playground)$|^\/overview\/(changelog|faq|glossary|curves|performance)$|^\/enterprise\/(docker\/config|terminology)$|http-error-codes$/;

test('every guide says when to use it, and what to use when not', () => {
  const without = docs.pages
    .filter((path) => !lookedUp.test(path))
    .filter((path) => {
      const text = builtText(docs, `${path}.md`);
      return !/^[-*] \*\*Use it\*\* /m.test(text) || !/^[-*] \*\*Use something else\*\* /m.test(text);
    });
  assert.equal(without, []);
});
