// The folders of src/api/, from the ground up. See .dependency-cruiser.mjs.
export default {
  'bql/language': { holds: 'BrowserQL: schema, parsing, checks', packages: 'graphql' },
  'bql/run': { holds: 'BrowserQL: state of a run, steps, masking of secrets', packages: 'graphql' },
  'bql/find': { holds: 'BrowserQL: selectors, elements, click points', imports: 'bql/run' },
  'bql/operations': {
    holds: 'BrowserQL: one function per mutation',
    imports: 'bql/language bql/run bql/find',
    packages: 'graphql',
  },
  bql: {
    holds: 'BrowserQL: execution of documents, subscriptions',
    imports: 'bql/language bql/run bql/operations bql/find',
    packages: 'graphql graphql-ws',
  },
  'routes/http': {
    holds: 'HTTP details: bodies, authentication, matching, responses',
    packages: 'content-disposition',
  },
  'routes/http/caller': {
    holds: 'which clients a server without tokens accepts: origin, host, CORS',
    imports: 'routes/http',
  },
  'routes/pipeline': {
    holds: 'path of every request: route, checks, slot, session, response',
    imports: 'routes/http routes/http/caller',
    packages: 'valibot',
  },
  'routes/cluster/others': { holds: 'queries to other servers', imports: 'routes/pipeline', packages: 'valibot' },
  'routes/pages': { holds: 'responses that are pages for people', imports: 'routes/http routes/pipeline' },
  'routes/sessions': {
    holds: "`/session`, `/sessions`, `/reconnect`: how a client's browser starts",
    imports: 'routes/http routes/pipeline routes/cluster/others',
    packages: 'valibot',
  },
  'routes/profiles': {
    holds: '`/profile`, `/profiles`, `/secrets`',
    imports: 'routes/http routes/pipeline routes/sessions routes/cluster/others',
    packages: 'valibot',
  },
  'routes/recordings': {
    holds: '`/recordings`, shared recordings',
    imports: 'routes/http routes/pipeline',
    packages: 'valibot',
  },
  'routes/bql': {
    holds: '`/bql`, over HTTP and WebSocket',
    imports: 'bql/language bql/run bql routes/http routes/pipeline routes/sessions',
    packages: 'valibot',
  },
  'routes/manage': {
    holds: '`/config`, `/metrics`, `/meta`, `/openapi.json`, probes',
    imports: 'routes/http routes/pipeline routes/sessions routes/cluster/others',
    packages: 'valibot',
  },
  'routes/graphql': {
    holds: '`/graphql`: sessions and account',
    imports: 'bql/language routes/http routes/pipeline routes/sessions routes/bql routes/manage',
    packages: 'graphql valibot',
  },
  'routes/rest': {
    holds: '`/content`, `/markdown`, `/pdf`, `/screenshot` and the other page routes',
    imports: 'routes/http routes/pipeline routes/sessions',
    packages: '@zip.js/zip.js file-type hono',
  },
  'routes/sockets': {
    holds: 'WebSocket routes of CDP and Playwright',
    imports: 'routes/http routes/pipeline routes/sessions',
  },
  'routes/live': {
    holds: '`/live`',
    imports: 'routes/http routes/http/caller routes/pipeline routes/pages routes/sessions',
    packages: 'valibot',
  },
  'routes/sign-in': {
    holds: '`/sign-in`',
    imports: 'routes/http routes/pages routes/pipeline',
    packages: 'hono valibot',
  },
  'routes/dashboard': {
    holds: '`/dashboard`',
    imports: 'routes/http routes/pages routes/pipeline routes/recordings routes/sign-in',
    packages: 'valibot',
  },
  'routes/docs': {
    holds: 'endpoints that the documentation calls',
    imports: 'routes/http routes/manage routes/pipeline routes/sign-in',
  },
  'routes/player': {
    holds: '`/player`',
    imports: 'routes/http routes/http/caller routes/pipeline routes/pages routes/recordings',
  },
  'routes/cluster': {
    holds: 'decides which server of a cluster handles a request',
    imports: 'routes/pipeline routes/recordings routes/sessions routes/sign-in',
    packages: 'valibot',
  },
  'routes/devtools': { holds: '`/devtools`, `/debugger`', imports: 'routes/http routes/pipeline routes/sessions' },
  routes: {
    holds: 'the table of all routes',
    imports:
      'routes/devtools routes/dashboard routes/docs routes/graphql routes/live routes/player routes/profiles routes/pipeline routes/sessions routes/recordings routes/bql routes/manage routes/rest routes/sockets',
  },
  'app.ts': {
    holds: 'from a request to its response',
    imports:
      'routes/http routes/http/caller routes/pipeline routes/live routes/manage routes/sign-in routes/docs routes/cluster routes',
    packages: 'hono',
  },
};
