// Defines an oxlint rule of the plugin in rules.js: text that a client, a caller or a page wrote is read with src/schema/json-text.ts, which counts
// its values before it parses them: one message of a million small values would stop the server for seconds. Other
// files may call `JSON.parse` for what no stranger writes, or can make long; each says why. Plain JavaScript, since
// oxlint loads the file.

/** Files that may call `JSON.parse`, with the reason; of a folder, all its files. */
const readers = {
  'src/schema/json-text.ts': 'the reader itself',
  'src/schema/coerce.ts': 'counts across all texts of a request',
  // Files on the local disk, and what the server or its build wrote.
  'src/accounts/': 'files of the operator, and our own ledger',
  'src/assets/': 'our build',
  'src/browsers/extensions/': 'files of the operator',
  'src/browsers/preferences.ts': 'a file of the server',
  'src/build/': 'our build',
  'src/docs/build/': 'our build',
  'src/docs/search/': 'our build',
  'src/page/audit/': 'our own child process, and our own script',
  'src/page/consent/': 'rules of a package',
  'src/playwright/host.ts': 'our own child process',
  'src/playwright/host-child.ts': 'orders of the server',
  'src/program/': 'our build',
  'src/recording/meta.ts': 'our own file',
  'src/runtime/crypto/': 'keys of the operator',
  'src/telemetry/': 'our own file',
  'src/vault/': 'our own files, sealed',
  // Services that the operator chose, and the other servers of a cluster.
  'src/captcha-solver/': 'the solver of the operator',
  'src/cluster/': 'the registry of the cluster',
  'src/docs/ask/': 'the model of the operator',
  // Messages that Chromium writes, in which pages choose single texts, not the number of values.
  'src/browsers/virtual/traces.ts': 'events of a trace, whose size Chromium limits',
  'src/clients/cdp/context-shield.ts': 'written by the server itself',
  'src/clients/cdp/gate.ts': 'events about targets',
  'src/clients/cdp/shield/': 'events about contexts and frames, answers to its own commands',
  'src/routes/devtools/': "the browser's own version",
  'src/stealth/': 'a blank page of the server',
  // These run in a browser: they stop no server.
  'src/docs/browser/': 'runs in the browser of a reader',
  'src/docs/components/': 'runs in the browser of a reader',
  'src/injected/': 'runs in a page',
  'src/ui/browser/': 'runs in the browser of a person',
};

const mayParse = (file) =>
  Object.keys(readers).some((name) => (name.endsWith('/') ? file.startsWith(name) : file === name));

/** The text of a name or a literal: `parse` of `JSON.parse` and of `JSON['parse']`. */
function nameOf(node) {
  if (node?.type === 'Identifier') return node.name;
  if (node?.type === 'Literal') return String(node.value);
  return node?.type === 'MemberExpression' ? nameOf(node.property) : undefined;
}

export const strangersJson = {
  meta: {
    messages: {
      unbounded:
        'Text of a stranger: read it with parseJson, jsonIn or readJson of src/schema/json-text.ts. Of another origin: name the file in test/rails/lint/strangers-json.js, with the reason.',
    },
  },
  create(context) {
    const [, file = ''] = /(?:^|\/)(src\/.*)$/.exec(context.filename.replaceAll('\\', '/')) ?? [];
    if (mayParse(file)) return {};
    const report = (node) => context.report({ node, messageId: 'unbounded' });
    return {
      // `JSON.parse(text)`, and `map(JSON.parse)`.
      MemberExpression: (node) => {
        if (nameOf(node.object) === 'JSON' && nameOf(node.property) === 'parse') report(node);
      },
      // `const { parse } = JSON`.
      VariableDeclarator: ({ id, init }) => {
        if (id.type === 'ObjectPattern' && nameOf(init) === 'JSON') report(id);
      },
      // `request.json()` reads the body of a caller whole.
      CallExpression: (node) => {
        if (node.callee.type !== 'MemberExpression' || nameOf(node.callee.property) !== 'json') return;
        if (/(?:^|[rR])eq(?:uest)?$/.test(nameOf(node.callee.object) ?? '')) report(node);
      },
    };
  },
};
