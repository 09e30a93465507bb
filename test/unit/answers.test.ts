// The types of handlers come from the schemas of their responses: a wrong shape does not compile
// (test/rails/types.test.ts fails when a directive below is not needed).
import * as v from 'valibot';
import * as assert from 'uvu/assert';
import { jsonResponse } from '../../src/api/routes/http/json-response.ts';
import { directRoute } from '../../src/api/routes/pipeline/route.ts';
import { json, noContent, shapeOf, typesOf } from '../../src/base/schema/response/responses.ts';
import { suite } from '../support/suite.ts';

const test = suite('answers of routes');
const described = { summary: '', description: '' } as const;
const answers = [json(v.object({ size: v.number() })), 'text/plain', noContent] as const;

test('a handler must return what its route declares', () => {
  const right = directRoute('manage', 'GET /x', { ...described, answers, handle: () => jsonResponse({ size: 1 }) });
  assert.is(right.group, 'manage');
  // @ts-expect-error -- a string instead of a number
  directRoute('manage', 'GET /x', { ...described, answers, handle: () => jsonResponse({ size: '1' }) });
  // @ts-expect-error -- a property is missing
  directRoute('manage', 'GET /x', { ...described, answers, handle: async () => jsonResponse({}) });
  // @ts-expect-error -- JSON that no response declares
  directRoute('manage', 'GET /x', { ...described, answers: [noContent], handle: () => jsonResponse({ size: 1 }) });
});

test('Accept may name any media type of the responses', () => {
  assert.equal(typesOf(answers), ['application/json', 'text/plain']);
  assert.is(shapeOf('text/plain').status, 200);
  assert.is(shapeOf(noContent).status, 204);
});
