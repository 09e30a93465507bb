// Checks the table of the protocol: every method in the protocol's descriptions has exactly one rule; the table knows
// every command in the sources of the libraries that use the protocol, and rejects none that they send, except a few
// with a reason.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/sessions/cdp/client-command.ts';
import { describeProtocol, judge, namesOf } from '../../src/sessions/cdp/rules/judge.ts';
import { domains } from '../../src/sessions/cdp/rules/table.ts';
import type { RuleContext } from '../../src/sessions/cdp/rules/verdict.ts';
import { eventNames, methodNames } from '../support/checks/protocol-descriptions.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const test = suite('protocol table');

const context = (scope: RuleContext['scope'], allowedMethods: string[] = []): RuleContext => ({
  scope,
  full: false,
  allowsUrl: (text) => /^(?:https?|data|about):/.test(text),
  files: undefined,
  openProxy: () => Promise.reject(new Refusal('no proxies')),
  allowedMethods: new Set(allowedMethods),
});

const methodsOf = (scope: RuleContext['scope']) =>
  describeProtocol(scope).flatMap(({ passes, exceptions }) => [...passes, ...exceptions.map(({ method }) => method)]);

test('every method of the protocol has one rule in each scope, and no other method has one', () => {
  for (const scope of ['browser', 'virtual', 'context'] as const) {
    assert.equal(methodsOf(scope).toSorted(), [...methodNames].toSorted(), scope);
  }
});

test('nothing is listed twice', () => {
  for (const [name, domain] of Object.entries(domains)) {
    const keys = [domain.rules, domain.ownRules].flatMap((rules) => Object.keys(rules ?? {}));
    const all = [domain.all, domain.own, ...keys].flatMap(namesOf);
    assert.equal(all.length, new Set(all).size, name);
    const again = [domain.scoped, ...Object.keys(domain.contextRules ?? {})].flatMap(namesOf);
    assert.equal(again.length, new Set(again).size, name);
    for (const method of again) assert.ok(all.includes(method), `${name}.${method} is in no other list`);
  }
});

test('each exception has a reason, written as a sentence', () => {
  for (const scope of ['browser', 'virtual', 'context'] as const) {
    for (const { exceptions } of describeProtocol(scope)) {
      for (const { method, note } of exceptions) assert.match(note, /^[A-Z].{15,}\.$/, method);
    }
  }
});

test('a method that is not in the table is unknown, regardless of its name', async () => {
  const names = [
    ...words('Page.nosuch Nosuch.enable page.navigate Page . __proto__ constructor'),
    'Page.navigate ',
    '',
  ];
  for (const scope of ['browser', 'virtual', 'context'] as const) {
    for (const name of names) assert.equal(await judge(name, {}, context(scope)), { unknown: true }, name);
  }
});

test('methods that the operator allows pass unchanged, but only for clients with their own browser', async () => {
  const params = { path: '/' };
  const allowed = ['Extensions.*', 'Nosuch.method', 'SystemInfo.getInfo'];
  for (const method of ['Extensions.loadUnpacked', 'Extensions.nosuch', 'Nosuch.method', 'SystemInfo.getInfo']) {
    assert.equal(await judge(method, params, context('browser', allowed)), { pass: params }, method);
    assert.not.ok('pass' in (await judge(method, params, context('context', allowed))), method);
    assert.not.ok('pass' in (await judge(method, params, context('browser'))), method);
  }
  for (const method of ['Tethering.bind', 'Nosuch.other', 'ExtensionsX.y']) {
    assert.not.ok('pass' in (await judge(method, params, context('browser', allowed))), method);
  }
});

test('methods that affect the machine or other users are rejected in every scope', async () => {
  const methods = words(`
    Browser.executeBrowserCommand Browser.getBrowserCommandLine Cast.enable Cast.startDesktopMirroring
    DeviceAccess.selectPrompt Extensions.loadUnpacked PWA.install PWA.launchFilesInApp
    ServiceWorker.inspectWorker SystemInfo.getInfo Target.exposeDevToolsProtocol Target.getDevToolsTarget
    Target.openDevTools Target.sendMessageToTarget Target.setRemoteLocations Tethering.bind
  `);
  for (const scope of ['browser', 'virtual', 'context'] as const) {
    for (const method of methods)
      assert.ok('refuse' in (await judge(method, {}, context(scope))), `${scope} ${method}`);
  }
});

test('methods that affect the whole browser are rejected for clients that share it', async () => {
  const methods = ['Browser.crash', 'Emulation.addScreen', 'Memory.simulatePressureNotification', 'Tracing.start'];
  for (const method of methods) {
    assert.equal(await judge(method, {}, context('browser')), { pass: {} }, method);
    assert.ok('refuse' in (await judge(method, {}, context('context'))), method);
  }
});

test('clients that share a browser cannot choose the storage of others or the download directory', async () => {
  const params = { origin: 'https://example.com', browserContextId: 'X' };
  assert.equal(await judge('Storage.getCookies', params, context('browser')), { pass: params });
  assert.equal(await judge('Storage.getCookies', params, context('context')), { pass: { origin: params.origin } });
  const downloads = { behavior: 'allow', downloadPath: '/root' };
  assert.equal(await judge('Page.setDownloadBehavior', downloads, context('context')), { answer: {} });
});

test('commands without files and proxies are judged synchronously', () => {
  for (const method of ['Runtime.evaluate', 'Page.navigate', 'Target.createTarget', 'Nosuch.x', 'Tethering.bind']) {
    assert.not.instance(judge(method, { url: 'about:blank' }, context('browser')), Promise);
  }
});

const modules = join(import.meta.dirname, '..', '..', 'node_modules');
const described = describeProtocol('browser');
const passing = new Set(
  described.flatMap(({ passes, exceptions }) => [
    ...passes,
    ...exceptions.filter(({ kind }) => kind !== 'refused').map(({ method }) => method),
  ]),
);
const known = new Set([...passing, ...described.flatMap(({ exceptions }) => exceptions.map(({ method }) => method))]);

/** Library commands that are rejected, with the feature of the library that does not work. */
const refusedOnPurpose: Readonly<Record<string, string>> = {
  'DeviceAccess.selectPrompt': 'page.waitForDevicePrompt().select(): connects devices of the server',
  'Extensions.getExtensions': 'browser.extensions()',
  'Extensions.loadUnpacked': 'browser.installExtension(path): a path of the server',
  'Extensions.triggerAction': 'extension.triggerAction(page)',
  'Extensions.uninstall': 'browser.uninstallExtension(id)',
  'PWA.changeAppUserSettings': 'installed apps are programs of the server',
  'PWA.install': 'writes the launcher of an app into the home directory of the server',
  'PWA.launch': 'installed apps are programs of the server',
  'PWA.uninstall': 'installed apps are programs of the server',
  'Target.getDevToolsTarget': 'page.openDevTools(): opens a devtools: page, which reads files',
  'Target.openDevTools': 'page.openDevTools(): opens a devtools: page, which reads files',
};

interface Library {
  name: string;
  /** Glob patterns of its files that communicate with Chromium. */
  files: string[];
}

const playwright = Array.from({ length: 15 }, (_, index) => `playwright-core-1.${50 + index}`);
const libraries: Library[] = [
  { name: 'chrome-remote-interface', files: ['lib/*.js'] },
  { name: 'lighthouse', files: ['core/**/*.js'] },
  ...['puppeteer-core', 'puppeteer-core-22', 'puppeteer-core-23', 'puppeteer-core-24'].map((name) => ({
    name,
    files: ['lib/**/cdp/**/*.js', 'lib/**/common/**/*.js'],
  })),
  ...[...playwright, 'playwright-core'].map((name) => ({
    name,
    files: ['lib/server/chromium/*.js', 'lib/coreBundle.js'],
  })),
];

/** The parts of a bundle that come from its Chromium folder; a file that is not a bundle is returned whole. */
function chromiumParts(path: string, text: string): string {
  if (!path.endsWith('coreBundle.js')) return text;
  const parts = text.split(/^\/\/ (?=packages\/)/m);
  return parts.filter((part) => part.startsWith('packages/playwright-core/src/server/chromium/')).join('\n');
}

const domainNames = [...new Set([...methodNames].map((name) => name.slice(0, name.indexOf('.'))))];
const quoted = new RegExp(`(['"\`])((?:${domainNames.join('|')})\\.[a-z][A-Za-z]+)\\1`, 'g');

/** Every `Domain.name` that is a string in a library's sources. */
function namesIn({ name, files }: Library): Set<string> {
  const directory = join(modules, name);
  const texts = globSync(files, { cwd: directory }).map((path) =>
    chromiumParts(path, readFileSync(join(directory, path), 'utf8')),
  );
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(quoted), (match) => match[2] ?? '')));
}

for (const library of libraries) {
  const installed = existsSync(join(modules, library.name));
  if (!installed) console.log(`protocol of libraries: ${library.name} is not installed and is skipped`);
  else {
    test(`every command of ${library.name} is known, and none is rejected without a reason`, () => {
      const commands = [...namesIn(library)].filter((name) => !eventNames.has(name) || methodNames.has(name));
      if (library.name !== 'chrome-remote-interface') {
        assert.ok(commands.length > 30, `only ${commands.length} commands found: the layout of the library changed`);
        assert.ok(commands.includes('Page.navigate'));
      }
      assert.equal(
        commands.filter((name) => !known.has(name)),
        [],
        'not in the table',
      );
      assert.equal(
        commands.filter((name) => known.has(name) && !passing.has(name) && !Object.hasOwn(refusedOnPurpose, name)),
        [],
        'rejected',
      );
    });
  }
}

test('each exception is a command of an installed library', () => {
  const all = new Set(libraries.flatMap((library) => [...namesIn(library)]));
  for (const name of Object.keys(refusedOnPurpose)) {
    assert.ok(known.has(name) && !passing.has(name), `${name} is not rejected`);
    assert.ok(all.has(name), `no library sends ${name}`);
  }
});
