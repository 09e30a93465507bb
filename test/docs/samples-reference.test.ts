// The generated reference: every sample marked as tested is run against a real server, and every example in the
// BrowserQL schema is valid against the schema. The samples are read from the built pages.
// @tier ci
import * as assert from 'uvu/assert';
import { parse, validate } from 'graphql';
import { loadLanguage } from '../../src/api/bql/language/schema.ts';
import { builtDocs } from '../support/built-docs.ts';
import { copiedText, elementsIn, figuresOf } from '../support/checks/copied-sample.ts';
import type { Sample } from '../support/checks/doc-samples.ts';
import { runSamples } from '../support/checks/doc-samples-run.ts';
import { suite } from '../support/suite.ts';

interface Shown extends Sample {
  /** The page marks the sample as tested. */
  tested: boolean;
}

const docs = await builtDocs();

function shownBy(path: string): Shown[] {
  return figuresOf(docs, path).map((figure, index) => {
    const text = copiedText(figure, { origin: 'http://localhost:3000', token: undefined });
    return {
      page: path,
      // The reference's samples are named after the URL path that they request; a schema page has only one sample.
      id: / http:\/\/localhost:3000(\S*)/.exec(text)?.[1] ?? `code ${index}`,
      language: String(figure.properties['dataLanguage']),
      mode: 'ci',
      reason: undefined,
      expect: undefined,
      server: undefined,
      variables: undefined,
      path: '/chromium/bql',
      text,
      figure,
      tested: elementsIn(figure, 'span').some(({ properties }) =>
        [properties['className']].flat().includes('code-verified'),
      ),
    };
  });
}

const calls = docs.pages.filter((path) => path.startsWith('/open-api/')).flatMap(shownBy);
const examples = docs.pages
  .filter((path) => /^\/bql-schema\/operations\/(mutations|queries)\/./.test(path))
  .flatMap((path) => shownBy(path).filter(({ text }) => /^(mutation|query) \{/.test(text)));
const tested = [...calls, ...examples].filter((sample) => sample.tested);

const test = suite('samples of the reference', { timeoutMs: 60_000 });

test('every example in the schema is valid against the schema', async () => {
  const { schema } = await loadLanguage();
  const names = ['getMutationType', 'getQueryType'] as const;
  const operations = names.flatMap((name) => Object.keys(schema[name]()?.getFields() ?? {}));
  assert.is(examples.length, operations.length);
  for (const { page, text } of examples) {
    assert.equal(
      validate(schema, parse(text)).map(({ message }) => message),
      [],
      `${page}: ${text}`,
    );
  }
});

test('the samples marked as tested are those that can run without setup', () => {
  assert.ok(tested.every(({ language }) => language === 'sh' || language === 'graphql'));
  const untested = calls.filter((sample) => sample.language === 'sh' && !sample.tested);
  assert.ok(
    untested.every(({ id }) => /\{(?:id|name)\}/.test(id) || /^\/\.well-known\/|\/performance$|^\/drain$/.test(id)),
  );
  // They need a proxy and a solver that do not exist here.
  assert.equal(
    examples.filter((sample) => !sample.tested).map(({ page }) => page),
    ['/bql-schema/operations/mutations/proxy', '/bql-schema/operations/mutations/solve-image-captcha'],
  );
});

runSamples(test, tested);
