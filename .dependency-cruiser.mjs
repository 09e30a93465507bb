// The rooms of src/, from the ground up: what each may import, of the house and of packages. Every room stands above all
// that it imports, so there are no circles; a room that the table does not name, and an import that it does not allow,
// fail `npm run check`. A row: the room, the rooms it may import, the packages it may import; `node` stands for the
// built-in modules of the runtime.
const table = [
  ['limits', ''],
  ['exit-codes', ''],
  ['version', '', 'package.json'],
  ['runtime', '', 'node undici'],
  ['runtime/address', '', 'node'],
  ['runtime/crypto', '', 'node'],
  ['runtime/media', 'runtime', 'node @zip.js/zip.js'],
  ['program', 'runtime', 'node nanotar re2js ws'],
  ['runtime/http', 'runtime runtime/address program', 'node @hono/node-server negotiator ws'],
  ['errors', 'limits runtime runtime/http'],
  ['runtime/regexp', 'limits runtime program', 'node re2js'],
  ['telemetry', 'limits errors', 'prom-client'],
  ['telemetry/otel', 'limits version runtime errors telemetry', '@opentelemetry'],
  ['software-key', 'limits exit-codes runtime telemetry', 'jose valibot'],
  ['schema', 'limits errors telemetry', '@valibot/to-json-schema fastest-levenshtein valibot'],
  ['schema/answer', 'errors', 'valibot'],
  ['schema/request', 'limits runtime errors schema', 'ipaddr.js valibot'],
  ['admission', 'exit-codes runtime errors'],
  ['accounts', 'limits runtime runtime/crypto errors telemetry schema admission', 'valibot'],
  ['network', 'runtime errors accounts telemetry schema/request', 'proxy-chain socks'],
  ['config', 'exit-codes runtime runtime/crypto telemetry schema schema/request network', 'valibot'],
  ['cdp', '', 'node chrome-remote-interface devtools-protocol'],
  ['stealth', 'cdp'],
  ['web-bot-auth', 'runtime runtime/crypto cdp', 'http-message-sig'],
  ['browsers/extensions', 'limits runtime runtime/crypto errors schema schema/request cdp'],
  ['browsers/display', 'runtime stealth', 'x11'],
  [
    'browsers',
    'runtime program errors telemetry schema schema/request network cdp stealth web-bot-auth browsers/display browsers/extensions',
    'nanotar',
  ],
  ['browsers/virtual', 'runtime schema cdp browsers'],
  ['browsers/pool', 'runtime errors telemetry cdp stealth browsers browsers/virtual'],
  ['sessions', 'accounts limits runtime errors network cdp browsers'],
  ['assets', 'runtime program runtime/http'],
  ['playground', 'limits runtime runtime/http assets', 'hono'],
  ['build', 'runtime program assets', 'node esbuild'],
  ['recording/recorder', '', '@rrweb/record'],
  ['recording/build', 'assets build recording/recorder', 'node esbuild'],
  ['recording/events', 'limits runtime program runtime/media cdp assets recording/recorder'],
  [
    'recording',
    'limits runtime runtime/media errors telemetry cdp browsers sessions recording/recorder recording/events',
    'mediabunny valibot',
  ],
  ['injected', '', '@mozilla/readability turndown'],
  ['injected/captcha', 'injected'],
  ['injected/live', 'injected'],
  ['page', 'runtime errors cdp browsers injected injected/captcha injected/live'],
  ['page/ads', 'runtime program telemetry cdp injected page', '@ghostery/adblocker'],
  ['page/consent', 'runtime program cdp injected page', '@duckduckgo/autoconsent'],
  ['page/requests', 'runtime errors runtime/regexp telemetry schema/request cdp injected page', 'content-disposition'],
  ['page/load', 'errors telemetry schema/request cdp browsers injected page page/requests'],
  ['page/act', 'cdp injected page'],
  ['page/captcha', 'runtime cdp injected injected/captcha page page/act'],
  ['page/unblock', 'runtime page page/captcha'],
  ['captcha-solver', 'accounts runtime telemetry page/captcha'],
  ['page/capture', 'runtime program errors schema/request cdp injected page page/load'],
  ['page/snapshot', 'runtime cdp injected page page/capture'],
  ['page/audit', 'runtime program errors telemetry schema/request', 'lighthouse lighthouse-logger puppeteer-core'],
  ['live/protocol', 'limits', 'node valibot'],
  ['live/page', 'limits runtime errors cdp browsers sessions injected/live page live/protocol', 'node'],
  ['live', 'limits runtime runtime/http errors telemetry cdp sessions live/protocol live/page', 'valibot'],
  ['dashboard/protocol', ''],
  ['dashboard', 'limits runtime errors telemetry admission cdp sessions recording live dashboard/protocol'],
  ['clients/cdp/rules', 'schema'],
  ['clients/cdp/shield', 'cdp'],
  [
    'clients/cdp',
    'accounts limits runtime runtime/http errors telemetry schema cdp browsers sessions live clients/cdp/rules clients/cdp/shield schema/request',
    'node valibot',
  ],
  [
    'code',
    'runtime program errors telemetry cdp browsers browsers/pool injected page clients/cdp',
    'file-type hono valibot',
  ],
  [
    'playwright',
    'runtime program runtime/http errors telemetry schema schema/request network stealth browsers sessions clients/cdp/rules',
    'playwright-core',
  ],
  ['bql/language', 'limits runtime program', 'graphql'],
  [
    'bql/run',
    'runtime errors runtime/regexp telemetry cdp browsers page page/captcha page/consent page/requests page/load',
    'graphql',
  ],
  ['bql/find', 'cdp injected page page/requests page/act bql/run'],
  [
    'bql/operations',
    'limits runtime schema schema/request cdp injected page page/requests page/load page/act page/captcha page/capture bql/language bql/run bql/find',
    'graphql',
  ],
  [
    'bql',
    'limits runtime errors runtime/regexp schema page/requests bql/language bql/run bql/operations',
    'graphql graphql-ws',
  ],
  ['ui/serve', 'runtime program assets'],
  [
    'routes/http',
    'limits runtime runtime/http errors runtime/regexp schema schema/answer schema/request network config',
    'content-disposition',
  ],
  ['routes/http/caller', 'accounts limits runtime runtime/regexp errors schema/request config routes/http'],
  [
    'routes/pipeline',
    'accounts runtime runtime/http errors telemetry schema schema/answer schema/request network admission config web-bot-auth browsers browsers/pool sessions live recording dashboard page page/ads captcha-solver code playwright routes/http routes/http/caller software-key browsers/extensions',
    'valibot',
  ],
  ['routes/pages', 'runtime/http errors config ui/serve routes/http routes/pipeline'],
  [
    'routes/sessions',
    'accounts limits runtime runtime/http errors schema schema/answer schema/request telemetry network config cdp browsers browsers/pool sessions page page/ads page/captcha page/load clients/cdp clients/cdp/rules routes/http routes/pipeline browsers/extensions',
    'valibot',
  ],
  [
    'routes/recordings',
    'limits runtime runtime/media runtime/http errors recording schema schema/answer schema/request routes/http routes/pipeline',
    'valibot',
  ],
  [
    'routes/bql',
    'accounts version runtime errors telemetry schema/answer schema/request network browsers sessions live page page/ads page/load clients/cdp bql/language bql/run bql routes/http routes/pipeline routes/sessions',
    'valibot',
  ],
  [
    'routes/manage',
    'accounts version runtime/http errors telemetry schema schema/answer schema/request config cdp web-bot-auth routes/http routes/pipeline routes/sessions',
  ],
  [
    'routes/rest',
    'page/captcha runtime runtime/media runtime/http errors schema/answer schema/request cdp browsers page page/ads page/consent page/requests page/load page/capture page/snapshot page/audit page/unblock clients/cdp code sessions routes/http routes/pipeline routes/sessions',
    '@zip.js/zip.js file-type hono',
  ],
  [
    'routes/sockets',
    'runtime/http errors schema/request browsers/extensions browsers sessions clients/cdp clients/cdp/rules playwright routes/http routes/pipeline routes/sessions',
  ],
  [
    'routes/live',
    'limits runtime runtime/http errors schema schema/answer schema/request config sessions live routes/http routes/http/caller routes/pipeline routes/pages routes/sessions',
    'valibot',
  ],
  [
    'routes/sign-in',
    'accounts limits runtime runtime/http errors schema dashboard ui/serve routes/http routes/pages routes/pipeline',
    'hono valibot',
  ],
  [
    'routes/dashboard',
    'limits runtime runtime/http errors schema schema/answer sessions dashboard clients/cdp ui/serve routes/http routes/pages routes/pipeline routes/recordings routes/sign-in',
    'valibot',
  ],
  ['routes/docs', 'errors schema/answer routes/http routes/manage routes/pipeline routes/sign-in'],
  [
    'routes/player',
    'errors recording schema schema/request ui/serve routes/http routes/http/caller routes/pipeline routes/pages routes/recordings',
  ],
  ['routes/devtools', 'runtime program runtime/http errors config routes/http routes/pipeline routes/sessions'],
  [
    'routes',
    'routes/devtools routes/dashboard routes/docs routes/live routes/player routes/pipeline routes/sessions routes/recordings routes/bql routes/manage routes/rest routes/sockets',
  ],
  ['ui/browser/dom', ''],
  ['ui/browser/live/watch', 'limits live/protocol ui/browser/dom'],
  ['ui/browser/live/act', 'limits live/protocol ui/browser/dom ui/browser/live/watch'],
  ['ui/browser/live', 'limits live/protocol ui/browser/dom ui/browser/live/watch ui/browser/live/act'],
  ['ui/browser/replay', '', '@rrweb/replay'],
  ['ui/browser/player', 'limits ui/serve ui/browser/dom ui/browser/replay'],
  ['ui/browser/dashboard', 'dashboard/protocol ui/browser/dom ui/browser/live/watch'],
  ['look', '', 'react'],
  ['ui', 'look ui/serve', 'react react-dom'],
  ['ui/build', 'assets build ui ui/serve', 'node esbuild'],
  ['docs/v1', ''],
  ['docs/site', 'docs/v1'],
  ['docs/samples', 'docs/site'],
  ['docs/search', 'docs/site', 'minisearch stemmer'],
  ['docs/ask', 'limits runtime errors schema telemetry docs/site docs/search', 'eventsource-parser valibot'],
  ['docs/charts', 'docs/site', '@observablehq/plot linkedom'],
  ['docs/fields', 'docs/site', 'react'],
  ['docs/components', 'look docs/site docs/samples docs/fields', 'react react-dom'],
  ['docs/diagrams', '', 'react'],
  ['docs/layout', 'look docs/site docs/v1 docs/components docs/diagrams', 'mdx-bundler react react-dom'],
  [
    'docs/serve',
    'limits runtime program runtime/http config assets playground docs/site docs/samples docs/search',
    'fastest-levenshtein',
  ],
  ['docs/browser/shell', 'docs/site'],
  ['docs/browser/call', 'docs/samples docs/browser/shell', 'react'],
  [
    'docs/browser/editor',
    'docs/browser/shell',
    '@codemirror/autocomplete @codemirror/commands @codemirror/lang-javascript @codemirror/lang-json @codemirror/language @codemirror/lint @codemirror/state @codemirror/view @lezer/highlight cm6-graphql graphql react react-dom',
  ],
  [
    'docs/browser/run',
    'docs/site docs/samples docs/components docs/browser/shell docs/browser/call docs/browser/editor',
    'react react-dom',
  ],
  [
    'docs/browser/playground',
    'docs/site docs/samples docs/browser/shell docs/browser/call docs/browser/editor docs/browser/run',
    'react react-dom',
  ],
  ['docs/browser/search', 'docs/site docs/search docs/browser/shell docs/browser/run', 'comlink react react-dom'],
  ['docs/browser/reading', 'docs/site docs/samples docs/browser/shell docs/browser/run'],
  [
    'docs/browser',
    'docs/site docs/samples docs/browser/shell docs/browser/run docs/browser/search docs/browser/reading',
  ],
  [
    'docs/build',
    'accounts version exit-codes errors schema schema/request config clients/cdp clients/cdp/rules routes/pipeline routes/manage routes assets build docs/site docs/search docs/charts docs/layout docs/serve',
    'node esbuild graphql hast hast-util-from-html hast-util-to-mdast hast-util-to-string mdast-util-gfm mdast-util-to-markdown mdx-bundler package.json react react-dom rehype-slug remark-directive remark-gfm shiki unist-util-visit',
  ],
  [
    'app',
    'limits runtime runtime/http errors routes/http routes/pipeline routes/live routes/manage routes/sign-in routes/docs routes docs/serve docs/ask routes/http/caller',
    'hono',
  ],
  [
    'services',
    'accounts runtime runtime/http errors telemetry telemetry/otel network admission config web-bot-auth browsers browsers/display browsers/pool sessions live recording dashboard page/ads captcha-solver clients/cdp/rules code playwright playground routes/http routes/pipeline software-key',
  ],
  ['stop', 'runtime runtime/http errors sessions services'],
  [
    'startup',
    'accounts version exit-codes runtime runtime/address errors network admission config browsers browsers/display playwright routes/http/caller software-key',
  ],
  [
    'start',
    'software-key version exit-codes runtime program runtime/http errors telemetry telemetry/otel config browsers routes/http app services stop startup routes/http/caller',
  ],
  ['scripts', 'runtime program page/ads page/audit'],
  ['build/binary', 'program build browsers playwright routes/devtools', 'node esbuild'],
  ['health', 'exit-codes runtime runtime/address config'],
  ['main', 'runtime program start startup health scripts'],
  ['setup', '', 'node'],
];

export const rooms = table.map(([room, imports, packages = '']) => ({
  room,
  imports: imports.split(' ').filter(Boolean),
  packages: packages.split(' ').filter(Boolean),
}));

const inRoom = (room) =>
  [
    'limits',
    'exit-codes',
    'errors',
    'version',
    'health',
    'app',
    'services',
    'stop',
    'start',
    'scripts',
    'main',
    'setup',
  ].includes(room)
    ? `^src/${room}\\.(ts|js)$`
    : `^src/${room}/[^/]+\\.(tsx?|js|css|json|graphql)$`;

const ofPackage = (name) =>
  name === 'package.json' ? '^package\\.json$' : `(^|node_modules/)(@types/)?${name.replace('.', '\\.')}(/|$)`;

const ruleOf = ({ room, imports, packages }, index) => ({
  name: `rooms: ${room}`,
  comment: `src/${room} may import ${[...imports, ...packages].join(', ') || 'nothing'}`,
  severity: 'error',
  from: { path: inRoom(room) },
  to: {
    pathNot: [
      inRoom(room),
      ...imports.map((name) => {
        if (!rooms.slice(0, index).some((below) => below.room === name)) throw new Error(`${room} is below ${name}`);
        return inRoom(name);
      }),
      ...packages.filter((name) => name !== 'node').map(ofPackage),
    ],
    ...(packages.includes('node') ? { dependencyTypesNot: ['core'] } : {}),
  },
});

export default {
  forbidden: [
    ...rooms.map(ruleOf),
    {
      name: 'rooms: unknown',
      comment: 'every file of src/ belongs to a room of the table',
      severity: 'error',
      from: { path: '^src/', pathNot: rooms.map(({ room }) => inRoom(room)) },
      to: {},
    },
    { name: 'circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'tests stay outside',
      severity: 'error',
      from: { path: '^(src/|build\\.ts$)' },
      to: { path: '^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
