// The folders of src/web/, from the ground up. Scripts of pages import little of lower layers: `below` names it. See
// .dependency-cruiser.mjs.
const react = 'react react-dom';

export default {
  'demo-site': { holds: 'the small site at http://playground.localhost/ that samples use', packages: 'hono' },
  'pages/serve': { holds: 'serving of the live view, player, and dashboard' },
  'pages/browser/dom': { holds: 'DOM helpers of the scripts, color mode', below: '' },
  'pages/browser/live/watch': {
    holds: 'live view: connection, image, tabs',
    imports: 'pages/browser/dom',
    below: 'base/limits.ts sessions/live/protocol',
  },
  'pages/browser/live/act': {
    holds: 'live view: mouse, keyboard, touch, files, dialogs',
    imports: 'pages/browser/dom pages/browser/live/watch',
    below: 'base/limits.ts sessions/live/protocol',
  },
  'pages/browser/live': {
    holds: 'live view: entry point of the script',
    imports: 'pages/browser/dom pages/browser/live/watch pages/browser/live/act',
    below: 'base/limits.ts sessions/live/protocol',
  },
  'pages/browser/replay': {
    holds: 'player: the frame that shows a replay',
    packages: '@rrweb/replay',
    below: 'browser/injected',
  },
  'pages/browser/player': {
    holds: 'player: video, timeline, lists',
    imports: 'pages/serve pages/browser/dom pages/browser/replay',
    below: 'base/limits.ts',
  },
  'pages/browser/color-mode.ts': { holds: 'color switch: script', imports: 'pages/browser/dom', below: '' },
  'pages/browser/dashboard': {
    holds: 'dashboard: script',
    imports: 'pages/browser/dom pages/browser/live/watch',
    below: 'control/dashboard/protocol',
  },
  theme: { holds: 'styles of all pages: tokens, fonts, controls; icons, brand', packages: 'react', below: '' },
  pages: {
    holds: 'markup and styles of live view, player, dashboard, notices',
    imports: 'theme pages/serve',
    packages: react,
  },
  'docs/site': { holds: 'documentation: sidebars, reference model' },
  'docs/samples': { holds: 'documentation: values inserted into samples (server, token)', imports: 'docs/site' },
  'docs/search': { holds: 'documentation: search engine', imports: 'docs/site', packages: 'minisearch stemmer' },
  'docs/ask': {
    holds: "documentation: answers from the operator's language model",
    imports: 'docs/site docs/search',
    packages: 'eventsource-parser valibot',
  },
  'docs/charts': { holds: 'documentation: charts', imports: 'docs/site', packages: '@observablehq/plot linkedom' },
  'docs/fields': { holds: 'documentation: form fields of the request editor', imports: 'docs/site', packages: 'react' },
  'docs/components': {
    holds: 'documentation: components of MDX pages',
    imports: 'theme docs/site docs/samples docs/fields',
    packages: react,
  },
  'docs/diagrams': { holds: 'documentation: diagrams', packages: 'react' },
  'docs/layout': {
    holds: 'documentation: page layout',
    imports: 'theme docs/site docs/components docs/diagrams',
    packages: `mdx-bundler ${react}`,
  },
  'docs/serve': {
    holds: 'documentation: serving',
    imports: 'demo-site docs/site docs/samples docs/search',
    packages: 'fastest-levenshtein',
  },
  'docs/browser/shell': {
    holds: 'script of every page: menus, navigation',
    imports: 'pages/browser/dom docs/site',
    below: '',
  },
  'docs/browser/editor': {
    holds: 'code editors',
    imports: 'docs/browser/shell',
    packages: `@codemirror/autocomplete @codemirror/commands @codemirror/lang-javascript @codemirror/lang-json @codemirror/language @codemirror/lint @codemirror/state @codemirror/view @lezer/highlight cm6-graphql graphql ${react}`,
    below: '',
  },
  'docs/browser/run': {
    holds: 'code blocks, the token, filters',
    imports: 'docs/site docs/samples docs/browser/shell',
    packages: 'react',
    below: '',
  },
  'docs/browser/request-editor': {
    holds: 'the request editor: running a sample in place, the playground, URLs of connections',
    imports: 'docs/site docs/samples docs/browser/shell docs/browser/editor docs/browser/run',
    packages: `graphql-ws ${react}`,
    below: '',
  },
  'docs/browser/search': {
    holds: 'search dialog',
    imports: 'docs/site docs/search docs/browser/shell docs/browser/run',
    packages: `comlink ${react}`,
    below: '',
  },
  'docs/browser/reading': {
    holds: 'status of the server, analytics, support chat',
    imports: 'docs/site docs/samples docs/browser/shell docs/browser/run',
    below: '',
  },
  'docs/browser': {
    holds: 'entry point of the script',
    imports:
      'pages/browser/dom docs/site docs/samples docs/browser/shell docs/browser/run docs/browser/search docs/browser/reading',
    below: '',
  },
  'public-base.ts': { holds: 'the base of the URLs in responses' },
  'services.ts': { holds: 'builds the services of this layer', imports: 'public-base.ts' },
};
