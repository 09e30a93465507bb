// The FAQ and the glossary: answers are short and link to a page, the defaults that they state match the
// settings, and terms are sorted under their letter.
import * as assert from 'uvu/assert';
import { type SettingName, settings } from '../../src/base/config/table.ts';
import { pageTexts } from '../support/checks/doc-samples.ts';
import { suite } from '../support/suite.ts';

const test = suite('FAQ and glossary', { timeoutMs: 10_000 });

interface Entry {
  /** The second-level heading above the entry. */
  group: string;
  heading: string;
  /** The text without samples. */
  text: string;
}

function entriesOf(path: string): Entry[] {
  const text = (pageTexts.get(path) ?? '').replace(/^```[^]*?^```$/gm, '');
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const [group = '', ...entries] = part.split(/^### /m);
      return entries.map((entry) => {
        const [heading = ''] = entry.split('\n', 1);
        return { group: group.trim(), heading, text: entry.slice(heading.length).trim() };
      });
    });
}

const answers = entriesOf('/overview/faq');
const terms = entriesOf('/overview/glossary');
const isSetting = (name: string): name is SettingName => Object.hasOwn(settings, name);

test('each FAQ question has one short answer that ends with a link to a page', () => {
  assert.ok(answers.length >= 40, `${answers.length} questions`);
  for (const { heading, text } of answers) {
    assert.match(heading, /\?$/);
    assert.not.match(text, /\n/, `${heading}: more than one paragraph`);
    assert.match(text, /\]\(\/[^)]+\)\.$/, `${heading}: does not end with a link`);
    const sentences = text.split(/(?<=[.!?]) (?=[A-Z`[])/).filter((sentence) => !sentence.startsWith('See ['));
    assert.ok(sentences.length <= 3 && text.length < 500, `${heading}: ${sentences.length} sentences`);
  }
});

test('the defaults in the FAQ match the settings', () => {
  const checkedSettings: string[] = [];
  for (const { heading, text } of answers) {
    if (!text.includes('default')) continue;
    for (const [, name = ''] of text.matchAll(/`([A-Z_]+)(?:=\w+)?`/g)) {
      if (!isSetting(name)) continue;
      const { byDefault }: { byDefault?: unknown } = settings[name];
      const forms =
        typeof byDefault === 'number'
          ? [String(byDefault), byDefault.toLocaleString('en')]
          : typeof byDefault === 'string'
            ? [`\`${byDefault}\``]
            : [];
      if (forms.length === 0) continue;
      assert.ok(
        forms.some((form) => text.includes(form)),
        `${heading}: the default of ${name} is ${forms.join()}`,
      );
      checkedSettings.push(name);
    }
  }
  for (const name of ['CONCURRENT', 'QUEUED', 'TIMEOUT', 'HOST', 'PORT'])
    assert.ok(checkedSettings.includes(name), name);
});

test('glossary terms are sorted under their letter, each with a link', () => {
  assert.ok(terms.length >= 45 && terms.length <= 60, `${terms.length} terms`);
  const names = terms.map(({ heading }) => heading.toLowerCase());
  assert.equal(names, names.toSorted(new Intl.Collator('en').compare));
  for (const { group, heading, text } of terms) {
    assert.is(heading.charAt(0).toUpperCase(), group, heading);
    assert.match(text, /\]\(\//, `${heading}: no link to one of our pages`);
  }
});
