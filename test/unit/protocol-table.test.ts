// Checks the table of the protocol against the protocol's descriptions: every method has exactly one rule.
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/sessions/cdp/client-command.ts';
import { describeProtocol, judge, namesOf } from '../../src/sessions/cdp/rules/judge.ts';
import { domains } from '../../src/sessions/cdp/rules/table.ts';
import type { RuleContext } from '../../src/sessions/cdp/rules/verdict.ts';
import { methodNames } from '../support/checks/protocol-descriptions.ts';
import { suite } from '../support/suite.ts';

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
    'Page.nosuch',
    'Nosuch.enable',
    'page.navigate',
    'Page.navigate ',
    'Page',
    '',
    '.',
    '__proto__',
    'constructor',
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
  const methods = [
    'Browser.executeBrowserCommand',
    'Browser.getBrowserCommandLine',
    'Cast.enable',
    'Cast.startDesktopMirroring',
    'DeviceAccess.selectPrompt',
    'Extensions.loadUnpacked',
    'PWA.install',
    'PWA.launchFilesInApp',
    'ServiceWorker.inspectWorker',
    'SystemInfo.getInfo',
    'Target.exposeDevToolsProtocol',
    'Target.getDevToolsTarget',
    'Target.openDevTools',
    'Target.sendMessageToTarget',
    'Target.setRemoteLocations',
    'Tethering.bind',
  ];
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
