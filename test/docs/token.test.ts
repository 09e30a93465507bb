// A token in a documentation URL is not leaked: no redirect, link or other site receives it.
import * as assert from 'uvu/assert';
import { builtDocs } from '../support/built-docs.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('a token in the address of the documentation', { timeoutMs: 180_000 });
let service: Service;
const page = '/rest-apis/pdf-api';
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test.before(async () => {
  await builtDocs();
  service = await startService();
});
test.after(() => stopAll(service));

test('it is not included in redirects, pages or referrers', async () => {
  const asked = { token: 'open-sesame', v: '1' };
  const redirect = await service.get('/docs', { query: asked, headers: html });
  assert.equal([redirect.status, redirect.headers['location']], [301, '/open-api?v=1']);
  const reply = await service.get(page, { query: asked, headers: html });
  assert.not.match(reply.text, 'open-sesame');
  assert.is(reply.headers['referrer-policy'], 'strict-origin-when-cross-origin');
  const found = await service.get('/search', { query: { q: 'pdf', ...asked }, headers: html });
  assert.not.match(found.text, 'open-sesame');
  const locked = await startService({ env: { DOCS: 'token', TOKEN: 'open-sesame' } });
  try {
    // If reading requires the token, the page is returned without a redirect.
    const there = await locked.get('/docs', { query: asked, token: null, headers: html });
    assert.is(there.status, 200);
    assert.not.match(there.text, 'open-sesame');
  } finally {
    await locked.stop();
  }
});
