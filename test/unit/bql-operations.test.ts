// The table of BrowserQL operations and the mutations of the schema have the same names.
import * as assert from 'uvu/assert';
import { loadLanguage } from '../../src/api/bql/language/schema.ts';
import { operations } from '../../src/api/bql/operations/table.ts';
import { suite } from '../support/suite.ts';

const test = suite('BrowserQL operations');

test('every mutation has an implementation, and every implementation a mutation', async () => {
  const { schema } = await loadLanguage();
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {}).toSorted();
  assert.ok(mutations.length > 30);
  assert.equal(Object.keys(operations).toSorted(), mutations);
});
