// Defines an oxlint rule: text from a client or a page is read with src/base/schema/json-text.ts, which counts its
// values before it parses them, since one message of a million small values would block the server for seconds. Other
// files may call `JSON.parse` for text that no untrusted party writes or can make long; each entry says why. Plain
// JavaScript, since oxlint loads the file.

/** Files that may call `JSON.parse`, with the reason; a folder covers all its files. */
const readers = {
  'src/base/schema/json-text.ts': 'the reader itself',
  'src/base/schema/coerce.ts': 'counts across all strings of a request',
  // Files on the local disk, and text that the server or its build wrote.
  'src/control/accounts/': 'files of the operator, and our own ledger',
  'src/base/assets/': 'our build',
  'src/browser/processes/extensions/': 'files of the operator',
  'src/browser/processes/preferences.ts': 'a file of the server',
  'src/build/': 'our build',
  'src/build/docs/': 'our build',
  'src/web/docs/search/': 'our build',
  'src/browser/page/audit/': 'our own child process, and our own script',
  'src/browser/page/consent/': 'rules of a package',
  'src/sessions/playwright/host.ts': 'our own child process',
  'src/sessions/playwright/host-child.ts': 'commands from the server',
  'src/base/program/': 'our build',
  'src/sessions/recording/meta.ts': 'our own file',
  'src/base/runtime/crypto/': 'keys of the operator',
  'src/base/telemetry/': 'our own file',
  'src/sessions/profiles/': 'our own files, sealed',
  // Services that the operator chose, and the other servers of a cluster.
  'src/browser/page/captcha/solver/': 'the solver of the operator',
  'src/control/cluster/': 'the registry of the cluster',
  'src/web/docs/ask/': 'the model of the operator',
  // Messages that Chromium writes, in which pages choose single strings, not the number of values.
  'src/browser/processes/virtual/traces.ts': 'events of a trace, whose size Chromium limits',
  'src/sessions/cdp/context-shield.ts': 'written by the server itself',
  'src/sessions/cdp/gate.ts': 'events about targets',
  'src/sessions/cdp/shield/': 'events about contexts and frames, responses to its own commands',
  'src/api/routes/devtools/': "the browser's own version",
  'src/browser/processes/stealth/': 'a blank page of the server',
  // These run in a browser, where they block no server.
  'src/web/docs/browser/': 'runs in a browser',
  'src/web/docs/samples/': 'runs in a browser, and in our build',
  'src/web/docs/site/json.ts': 'runs in a browser, and in our build',
  'src/browser/injected/': 'runs in a page',
  'src/web/pages/browser/': 'runs in a browser',
};

const mayParse = (file) =>
  Object.keys(readers).some((name) => (name.endsWith('/') ? file.startsWith(name) : file === name));

/** The name in an identifier or a literal: `parse` of `JSON.parse` and of `JSON['parse']`. */
function nameOf(node) {
  if (node?.type === 'Identifier') return node.name;
  if (node?.type === 'Literal') return String(node.value);
  return node?.type === 'MemberExpression' ? nameOf(node.property) : undefined;
}

export const strangersJson = {
  meta: {
    messages: {
      unbounded:
        'Untrusted text: read it with parseJson, jsonIn or readJson from src/base/schema/json-text.ts. If it has another origin, add the file to test/rails/lint/strangers-json.js with the reason.',
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
      // `request.json()` reads the whole body of a client.
      CallExpression: (node) => {
        if (node.callee.type !== 'MemberExpression' || nameOf(node.callee.property) !== 'json') return;
        if (/(?:^|[rR])eq(?:uest)?$/.test(nameOf(node.callee.object) ?? '')) report(node);
      },
    };
  },
};
