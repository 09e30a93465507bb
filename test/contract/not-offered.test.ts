// Features of browserless that this server lacks (docs-content/baas/migrate.mdx): each is rejected with a message, none
// is silently accepted.
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { refused } from '../support/checks/expect.ts';
import { handshake } from '../support/clients/clients.ts';

const { test, service } = fixtureSuite('not offered', { env: { TOKEN: 'browserless', SPARES: '0' } });

const url = 'https://example.com/';
const routes: Record<string, [method: string, path: string, body?: object][]> = {
  'Selenium, WebDriver': [
    ['POST', '/webdriver/session', { capabilities: {} }],
    ['POST', '/wd/hub/session', { capabilities: {} }],
    ['GET', '/wd/hub/status'],
  ],
  '`/smart-scrape`, `/map`, `/search`, `/crawl`': [
    ['POST', '/smart-scrape', { url }],
    ['POST', '/map', { url }],
    ['POST', '/search', { query: 'example' }],
    ['POST', '/crawl', { url }],
    ['GET', '/crawl'],
  ],
  'routes of version 1': [
    ['POST', '/stats', { url }],
    ['GET', '/workspace'],
    ['POST', '/screencast', { code: 'x' }],
  ],
};
for (const [name, calls] of Object.entries(routes)) {
  if (name !== 'routes of version 1') test.differs(name);
  test(`unsupported route: ${name}`, async () => {
    for (const [method, path, body] of calls) {
      const reply =
        body === undefined ? await service.get(path, { method }) : await service.post(path, body, { method });
      refused(reply, 404, /^Not Found/);
    }
  });
}

const sockets: Record<string, string[]> = {
  'agent protocol': ['/chromium/agent'],
};
for (const [name, paths] of Object.entries(sockets)) {
  test.differs('The agent protocol, `/chromium/agent`');
  test(`unsupported socket: ${name}`, async () => {
    for (const path of paths) {
      const { status, text } = await handshake(service, path);
      assert.is(status, 404, path);
      assert.match(text, /^Not Found/);
    }
  });
}

for (const name of ['emulationOs', 'integrationId']) {
  test.differs(`\`${name}\``);
  test(`unsupported parameter: ${name}`, async () => {
    refused(await service.post('/content', { html: 'x' }, { query: { [name]: 'x' } }), 400, name);
  });
}
