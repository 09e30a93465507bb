// `token` in the query of every management route that lists it: only the right one is accepted.
import * as assert from 'uvu/assert';
import { entriesOf } from '../../src/base/schema/introspect.ts';
import { directRoutes } from '../../src/api/routes/table.ts';
import { send } from '../support/clients/http.ts';
import { succeeded } from '../support/checks/expect.ts';
import { type Service, startService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('token of management routes');
let service: Service;

test.before(async () => {
  service = await startService({ env: { SPARES: '0', TOKEN: 'secret-token' } });
});
test.after(() => service.stop(true));

/** Each route with its response, ordered so that each request creates what the next one needs. */
const calls: [route: string, status: number, body?: string][] = [
  ['POST /session', 200, '{}'],
  ['GET /account', 200],
  ['POST /graphql', 200, '{"query":"{ version { version } }"}'],
  // The operator has configured no cities.
  ['GET /proxy/cities', 404],
  ['GET /sessions', 200],
  ['PUT /session-files/:id/:name', 201, 'text'],
  ['GET /session-files/:id', 200],
  ['GET /session-files/:id/:name', 200],
  ['DELETE /session-files/:id/:name', 204],
  // The session was not recorded.
  ['GET /recordings', 200],
  ['GET /recordings/:id', 404],
  ['GET /recordings/:id/video.mp4', 404],
  ['GET /recordings/:id/video.webm', 404],
  ['POST /recordings/:id/share', 404, '{}'],
  ['DELETE /recordings/:id/share/:share', 404],
  ['GET /recordings/:id/player', 404],
  ['GET /recordings/:id/events', 404],
  ['DELETE /recordings/:id', 404],
  // The session has no running browser.
  ['POST /browser/:id/live', 404, '{}'],
  ['GET /browser/:id/live/:live', 404],
  ['DELETE /browser/:id/live/:live', 404],
  ['DELETE /browser/:id', 404],
  // The server has no key for stored profiles and secrets.
  ['POST /profile', 501, '{"name":"a"}'],
  ['POST /profile/upload', 501, '{"name":"a","state":{}}'],
  ['POST /profile/refresh', 501, '{"name":"a","state":{}}'],
  ['GET /profiles', 501],
  ['GET /profile/:name', 501],
  ['PUT /profile/:name', 501, '{"name":"b"}'],
  ['DELETE /profile/:name', 501],
  ['GET /secrets', 501],
  ['PUT /secret/:name', 501, '{"value":"x","origins":["https://a.example"]}'],
  ['DELETE /secret/:name', 501],
  ['GET /kill/:id', 204],
  ['DELETE /session/:id', 204],
  ['GET /pressure', 200],
  ['GET /metrics', 200],
  ['GET /metrics/total', 200],
  // Last, because the server stops.
  ['POST /drain', 204],
];

test.shows('no-token', 'HTTP');
test.proves(
  'GET/pressure?token GET/account?token POST/graphql?token GET/proxy/cities?token GET/sessions?token GET/kill/:id?token GET/metrics?token GET/metrics/total?token POST/drain?token POST/session?token DELETE/session/:id?token GET/session-files/:id?token GET/session-files/:id/:name?token PUT/session-files/:id/:name?token DELETE/session-files/:id/:name?token POST/profile?token POST/profile/upload?token POST/profile/refresh?token GET/profiles?token GET/profile/:name?token PUT/profile/:name?token DELETE/profile/:name?token GET/secrets?token PUT/secret/:name?token DELETE/secret/:name?token GET/recordings?token GET/recordings/:id?token DELETE/recordings/:id?token GET/recordings/:id/video.mp4?token GET/recordings/:id/video.webm?token POST/recordings/:id/share?token DELETE/recordings/:id/share/:share?token GET/recordings/:id/player?token GET/recordings/:id/events?token DELETE/browser/:id?token POST/browser/:id/live?token GET/browser/:id/live/:live?token DELETE/browser/:id/live/:live?token',
);
test("returns 401 without a token or with a wrong one, and the route's own response with the right one", async () => {
  const make = async () => succeeded(await service.post('/session', {})).json<{ id: string }>().id;
  const [killed, deleted] = [await make(), await make()];
  for (const [route, status, body] of calls) {
    const [method = '', path = ''] = route.split(' ');
    const id = path.startsWith('/kill/') ? killed : deleted;
    const address = `${service.url}${path.replace(':id', id).replace(':name', 'a.txt')}`;
    const ask = async (query: string) => {
      const headers: Record<string, string> =
        method === 'POST' || body?.startsWith('{') ? { 'content-type': 'application/json' } : {};
      return send(`${address}${query}`, { method, headers, ...(body === undefined ? {} : { body }) });
    };
    for (const query of ['', '?token=wrong', '?token=']) assert.is((await ask(query)).status, 401, `${route}${query}`);
    const reply = await ask('?token=secret-token');
    assert.is(reply.status, status, `${route}: ${reply.text}`);
    assert.is(reply.headers['x-ignored-parameters'], undefined, route);
  }
});

test('no route that lists the parameter is left out', () => {
  const listed = directRoutes.filter(({ query }) => query && 'token' in (entriesOf(query) ?? {}));
  const routes = listed.map(({ method, path }) => `${method} ${path.replace(/\{.*\}/, '')}`);
  assert.equal(routes.toSorted(), calls.map(([route]) => route).toSorted());
});
