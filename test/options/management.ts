// Fields of POST /session, and query parameters of the routes that list, end and fill sessions.
import { type Row, seenBy } from './row.ts';

const routes = `{GET/account,GET/pressure,GET/metrics,GET/metrics/total,POST/drain,POST/graphql,GET/proxy/cities,GET/sessions,GET/kill/:id,POST/session,DELETE/session/:id,GET/session-files/:id}?token
  {GET,PUT,DELETE}/session-files/:id/:name?token
  {GET/recordings,GET/recordings/:id,DELETE/recordings/:id,GET/recordings/:id/video.mp4,GET/recordings/:id/video.webm,GET/recordings/:id/events}?token
  {POST/recordings/:id/share,DELETE/recordings/:id/share/:share,GET/recordings/:id/player}?token
  {POST/profile,POST/profile/upload,POST/profile/refresh,GET/profiles,GET/profile/:name,PUT/profile/:name,DELETE/profile/:name}?token
  {GET/secrets,PUT/secret/:name,DELETE/secret/:name}?token
  {DELETE/browser/:id,POST/browser/:id/live,GET/browser/:id/live/:live,DELETE/browser/:id/live/:live}?token`;

export const managementRows: readonly Row[] = [
  ...seenBy('sockets/allowed-domains', {
    'POST /session: its documents, their proxies and its clients': 'session:allowedDomains[]',
  }),
  ...seenBy('cluster/scope', {
    '/sessions: those of all servers, for each caller his own': '{GET/sessions,GET/kill/:id}?scope',
    '/pressure and /metrics: sums': '{GET/pressure,GET/metrics,GET/metrics/total}?scope',
  }),
  ...seenBy('profiles/doors', {
    'a session of POST /session, whose later browsers keep what the first has': 'session:profile',
  }),
  ...seenBy('profiles/vault', {
    'lists have pages, names can change, and what is removed leaves no file': 'GET/profiles?{limit,offset}',
  }),
  ...seenBy('sockets/sessions', {
    'the time to live ends client, process and files': 'session:ttl',
    'processKeepAlive keeps the browser for the next client': 'session:processKeepAlive',
    'options of the session reach its browser': 'session:args[]',
    'DELETE refuses while a client is connected, and force cuts it off': 'DELETE/session/:id?force',
  }),
  ...seenBy('sockets/extensions', {
    'a session: by "extensions", in each of its browsers; its workers are reachable, its id stays':
      'session:extensions[]',
  }),
  ...seenBy('sockets/session-options', {
    'blockAds: advertisers are not asked': 'session:blockAds',
    'stealth is a stealth browser': 'session:{stealth,browser}',
    'headless: false has a window, except with stealth': 'session:headless',
    'browser: "chrome" is the Chrome of the server, otherwise Chromium runs': 'session:browser',
    'proxy: country, state, city and sticky are told to the provider': 'session:proxy.{type,country,state,city,sticky}',
    'proxy.sticky is named as ignored where the provider cannot keep an address': 'session:proxy.sticky',
  }),
  ...seenBy('sockets/proxies', { 'the browsers of a session keep its residential address': 'session:proxy.type' }),
  ...seenBy('bql/sessions', {
    'a session without stealth takes no documents; wrong tokens and ids are refused': 'session:stealth',
  }),
  ...seenBy('sockets/start-page', {
    'the first client finds the page there, later browsers do not open it again': 'session:url',
  }),
  ...seenBy('contract/proxy-cities', {
    'all cities, and those of one country; an unknown country has none': 'GET/proxy/cities?country',
  }),
  ...seenBy('contract/management', { '/sessions lists a running call': 'GET/sessions?trackingId' }),
  ...seenBy('contract/management-token', {
    'without it and with a wrong one 401, with the right one the route’s own answer': routes,
  }),
  ...seenBy('recording/keeping', {
    'ten pages are recorded at a time; the list goes on in pages, by session and tracking id':
      'GET/recordings?{trackingId,session,cursor,limit}',
    'the MP4 comes whole and in parts, for who has the token; ids and ranges that are none reach nothing':
      'GET/recordings/:id/{video.mp4,video.webm}?tab',
  }),
  ...seenBy('recording/replay-keeping', {
    'the events come compressed or not, for who has the token; ids and tabs that are none reach nothing':
      'GET/recordings/:id/events?tab',
  }),
  ...seenBy('recording/replay', {
    'Playwright over CDP and chrome-remote-interface stop it; without replay=true there is none to stop':
      'session:replay',
  }),
  ...seenBy('recording/share', {
    'what a link may be: its time, its number, its recording': 'share:timeout',
  }),
  ...seenBy('contract/session-files-attacks', {
    'what a client that leaves, or is too slow, had sent is removed': 'PUT/session-files/:id/:name?timeout',
  }),
];
