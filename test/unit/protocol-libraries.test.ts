// Reads the sources of the libraries that use the Chrome DevTools Protocol: the table knows every command they contain,
// and rejects none that they send, except a few with a reason.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { describeProtocol } from '../../src/sessions/cdp/rules/judge.ts';
import { suite } from '../support/suite.ts';
import { eventNames, methodNames } from '../support/checks/protocol-descriptions.ts';

const test = suite('protocol of libraries');

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

const domains = [...new Set([...methodNames].map((name) => name.slice(0, name.indexOf('.'))))];
const quoted = new RegExp(`(['"\`])((?:${domains.join('|')})\\.[a-z][A-Za-z]+)\\1`, 'g');

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
