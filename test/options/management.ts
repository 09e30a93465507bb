// Fields of POST /session, and query parameters of the routes that list, end and fill sessions.
import { type Row, coveredBy } from './row.ts';

const routes = `{GET/account,GET/pressure,GET/metrics,GET/metrics/total,POST/drain,POST/graphql,GET/proxy/cities,GET/sessions,GET/kill/:id,POST/session,DELETE/session/:id,GET/session-files/:id}?token
  {GET,PUT,DELETE}/session-files/:id/:name?token
  {GET/recordings,GET/recordings/:id,DELETE/recordings/:id,GET/recordings/:id/video.mp4,GET/recordings/:id/video.webm,GET/recordings/:id/events}?token
  {POST/recordings/:id/share,DELETE/recordings/:id/share/:share,GET/recordings/:id/player}?token
  {POST/profile,POST/profile/upload,POST/profile/refresh,GET/profiles,GET/profile/:name,PUT/profile/:name,DELETE/profile/:name}?token
  {GET/secrets,PUT/secret/:name,DELETE/secret/:name}?token
  {DELETE/browser/:id,POST/browser/:id/live,GET/browser/:id/live/:live,DELETE/browser/:id/live/:live}?token`;

export const managementRows: readonly Row[] = [
  ...coveredBy('sockets/allowed-domains', {
    'POST /session: the list applies to its BrowserQL documents, their proxies, and its clients':
      'session:allowedDomains[]',
  }),
  ...coveredBy('cluster/scope', {
    "/sessions: those of all servers, limited to the client's own": '{GET/sessions,GET/kill/:id}?scope',
    '/pressure and /metrics: totals': '{GET/pressure,GET/metrics,GET/metrics/total}?scope',
  }),
  ...coveredBy('profiles/endpoints', {
    'a POST /session session, whose later browsers keep the data of the first': 'session:profile',
  }),
  ...coveredBy('profiles/vault', {
    'lists are paginated, profiles can be renamed, and removed profiles leave no files behind':
      'GET/profiles?{limit,offset}',
  }),
  ...coveredBy('sockets/sessions', {
    'when the time to live expires, the client is disconnected and the process and files are removed': 'session:ttl',
    'processKeepAlive keeps the browser running for the next client': 'session:processKeepAlive',
    'options of the session reach its browser': 'session:args[]',
    'DELETE is rejected while a client is connected, and force disconnects it': 'DELETE/session/:id?force',
  }),
  ...coveredBy('sockets/extensions', {
    'a session loads "extensions" in each of its browsers, with accessible workers and a stable extension id':
      'session:extensions[]',
  }),
  ...coveredBy('sockets/session-options', {
    'blockAds: advertisers receive no requests': 'session:blockAds',
    'stealth starts a stealth browser': 'session:{stealth,browser}',
    'headless: false opens a window, and stealth ignores headless': 'session:headless',
    'browser: "chrome" starts the installed Chrome, and Chromium runs otherwise': 'session:browser',
    'proxy: country, state, city and sticky are passed to the provider':
      'session:proxy.{type,country,state,city,sticky}',
    'proxy.sticky is reported as ignored if the provider cannot keep an address': 'session:proxy.sticky',
  }),
  ...coveredBy('sockets/proxies', {
    'the browsers of a session keep its residential IP address': 'session:proxy.type',
  }),
  ...coveredBy('bql/sessions', {
    'a session without stealth does not accept documents; wrong tokens and unknown ids are rejected': 'session:stealth',
  }),
  ...coveredBy('sockets/start-page', {
    'the first client finds the page open, and later browsers do not open it again': 'session:url',
  }),
  ...coveredBy('contract/proxy-cities', {
    'lists all cities or those of one country; an unknown country has none': 'GET/proxy/cities?country',
  }),
  ...coveredBy('contract/management', { '/sessions lists a running request': 'GET/sessions?trackingId' }),
  ...coveredBy('contract/management-token', {
    "returns 401 without a token or with a wrong one, and the route's own response with the right one": routes,
  }),
  ...coveredBy('recording/keeping', {
    'ten pages are recorded at a time; the list is paginated, and filtered by session and tracking id':
      'GET/recordings?{trackingId,session,cursor,limit}',
    'with the token, the MP4 is served whole and in parts; invalid ids and ranges expose nothing':
      'GET/recordings/:id/{video.mp4,video.webm}?tab',
  }),
  ...coveredBy('recording/replay-keeping', {
    'with the token, the events are served compressed or not; invalid ids and tabs expose nothing':
      'GET/recordings/:id/events?tab',
  }),
  ...coveredBy('recording/replay', {
    'Playwright over CDP and chrome-remote-interface can stop it; without replay=true, there is nothing to stop':
      'session:replay',
  }),
  ...coveredBy('recording/share', {
    'links have a maximum lifetime and number, and expire with their recording': 'share:timeout',
  }),
  ...coveredBy('contract/session-files-attacks', {
    'a partial upload is removed if the client disconnects or is too slow': 'PUT/session-files/:id/:name?timeout',
  }),
];
