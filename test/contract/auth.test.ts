// Where a request can carry its token, and which requests the server rejects (compatibility.mdx#tokens).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { type CallOptions, type Service, startService } from '../support/service.ts';

const body = { html: '<h1>hello</h1>' };
const token = 'secret-Token_1';
let open: Service;

const { test, service } = fixtureSuite('authentication', { env: { TOKEN: token } });
test.before(async () => {
  open = await startService({ env: { SPARES: '0' } });
});
test.after(() => open.stop());

const authorization = (value: string): CallOptions => ({ token: null, headers: { authorization: value } });
const basic = (text: string) => authorization(`Basic ${btoa(text)}`);

const accepted: Record<string, CallOptions> = {
  'token in the query': { token: null, query: { token } },
  Bearer: authorization(`Bearer ${token}`),
  'Basic with the token as user': basic(`${token}:`),
  'Basic with the token as password': basic(`:${token}`),
  'a valid header with a wrong query': { query: { token: 'wrong' } },
};
const refusals: Record<string, CallOptions> = {
  'no token': { token: null },
  'a wrong token in the query': { token: null, query: { token: 'wrong' } },
  'an empty token in the query': { token: null, query: 'token=' },
  'a prefix of the token': { token: null, query: { token: token.slice(0, -1) } },
  'the token with a suffix': { token: null, query: { token: `${token}x` } },
  'the token in a different case': { token: null, query: { token: token.toUpperCase() } },
  'a wrong Bearer': authorization('Bearer wrong'),
  'Basic with a user and the token': basic(`user:${token}`),
  'Basic without a colon': basic(token),
  'Basic that is not base64': authorization('Basic ***'),
  'the bare token': authorization(token),
  'bearer in lower case': authorization(`bearer ${token}`),
  'an empty header': authorization(''),
  'a wrong header with a valid query': { token: null, headers: { authorization: 'Bearer wrong' }, query: { token } },
};

for (const [name, options] of Object.entries(accepted)) {
  test.peer('parameters and errors');
  test(`accepted: ${name}`, async () => {
    succeeded(await service.post('/content', body, options));
    succeeded(await service.get('/config', options));
  });
}
for (const [name, options] of Object.entries(refusals)) {
  test.shows('no-token', 'HTTP', 'REST');
  test.peer('parameters and errors');
  test(`returns 401: ${name}`, async () => {
    for (const reply of [await service.post('/content', body, options), await service.get('/config', options)]) {
      refused(reply, 401);
      assert.is(reply.text, 'Bad or missing authentication.\n');
      assert.match(reply.headers['content-type'] ?? '', /^text\/plain; charset=utf-8$/i);
    }
  });
}

test.peer('parameters and errors');
test('a request is rejected before its body and query are read', async () => {
  const reply = await service.post('/content', '{not json', { token: null, query: { color: 'red' } });
  refused(reply, 401);
});

test('rejected requests are counted', async () => {
  const text = (await service.get('/metrics', { headers: { accept: 'text/plain' } })).text;
  assert.match(text, /^browserd_requests_total\{route="\/content",status="401"\} [1-9]/m);
});

test('if no token is configured, requests do not need one', async () => {
  succeeded(await open.post('/content', body));
  succeeded(await open.post('/content', body, { query: { token: 'anything' } }));
  succeeded(await open.get('/config'));
});

test.peer('parameters and errors');
test('returns 400 for an empty token parameter if no token is configured', async () => {
  refused(await open.post('/content', body, { query: 'token=' }), 400, 'token');
});

test.proves('TOKEN');
test.differs('`TOKEN` is one token');
test('each of several tokens works', async () => {
  await using several = await startService({ env: { SPARES: '0', TOKEN: 'first,second' } });
  for (const one of ['first', 'second']) assert.is((await several.get('/active', { token: one })).status, 204);
  for (const one of ['first,second', 'third', '']) refused(await several.get('/active', { token: one || null }), 401);
});

test.proves('TOKEN_FILE');
test('tokens can be read from TOKEN_FILE', async () => {
  const file = join(service.baseDir, 'tokens');
  writeFileSync(file, 'from-a-file\n');
  await using started = await startService({ env: { SPARES: '0', TOKEN_FILE: file } });
  assert.is((await started.get('/active', { token: 'from-a-file' })).status, 204);
  refused(await started.get('/active'), 401);
});

test.shows('leaked-secrets', 'HTTP');
test('tokens are never logged', () => {
  assert.not.match(service.output(), new RegExp(token));
});
