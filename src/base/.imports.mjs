// The folders of src/base/, from the bottom up: what each contains, which others of this layer it imports, and which
// packages. See .dependency-cruiser.mjs.
export default {
  'limits.ts': { holds: 'limits of requests, responses, lists and waits that are not settings' },
  'exit-codes.ts': { holds: 'exit codes of the program, and the error that ends it with one' },
  'text.ts': { holds: 'text in sentences' },
  'version.ts': { holds: 'name and version of the program', packages: 'package.json' },
  'runtime/address': {
    holds: 'listen addresses: which can be bound, and which process is using one',
    packages: 'node',
  },
  'runtime/held': { holds: 'files and directories opened without following links', packages: 'node' },
  runtime: {
    holds: 'wrappers for Node and Deno: processes, files, TCP, deadlines, clocks, threads',
    imports: 'runtime/address',
    packages: 'node undici',
  },
  'runtime/crypto': { holds: 'SHA-256, HMAC, Ed25519', packages: 'node' },
  'runtime/media': { holds: 'ZIP, gzip, media files', imports: 'runtime', packages: 'node @zip.js/zip.js' },
  program: {
    holds: "the program's own files and packages, in a checkout, a bundle or the single binary; its child scripts",
    imports: 'runtime',
    packages: 'node nanotar @eslint-community/regexpp re2js ws',
  },
  'runtime/http': {
    holds: 'HTTP server, compression, WebSocket upgrades and frames',
    imports: 'runtime runtime/address program',
    packages: 'node @hono/node-server negotiator ws',
  },
  'errors.ts': { holds: 'the error type and the table of error codes', imports: 'limits.ts runtime runtime/http' },
  account: { holds: 'what lower layers know about accounts: the features of plans, who pays' },
  'runtime/regexp': {
    holds: 'regular expressions from clients: linear time, or a thread with a limit',
    imports: 'limits.ts runtime program',
    packages: 'node @eslint-community/regexpp re2js',
  },
  telemetry: {
    holds: 'log, metrics and their history, spans, webhooks',
    imports: 'limits.ts runtime errors.ts',
    packages: 'prom-client',
  },
  'telemetry/otel': {
    holds: 'export to OpenTelemetry',
    imports: 'limits.ts version.ts runtime errors.ts telemetry',
    packages: '@opentelemetry',
  },
  schema: {
    holds: 'validation, coercion and bounded JSON; JSON Schema of the tables',
    imports: 'limits.ts runtime errors.ts telemetry',
    packages: '@valibot/to-json-schema fastest-levenshtein valibot',
  },
  'schema/response': { holds: 'schemas of response bodies', imports: 'errors.ts', packages: 'valibot' },
  'schema/request': {
    holds: 'schemas of bodies (paper sizes, viewports), query parameters, launch options',
    imports: 'limits.ts runtime errors.ts schema',
    packages: 'ipaddr.js valibot',
  },
  'config/places': { holds: 'countries and cities that can be requested from proxies' },
  config: {
    holds: 'the settings table, and how it is read',
    imports: 'exit-codes.ts limits.ts runtime runtime/crypto telemetry schema schema/request config/places',
    packages: 'valibot',
  },
  assets: { holds: 'built files, and how they are served', imports: 'runtime program runtime/http' },
};
