// Runs NGINX and HAProxy with the files in public/deploy: requests and sockets pass through, and servers are restarted
// one at a time without a failed request. Longer version: npm run rolling
// @tier ci
import puppeteer from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { missing } from '../support/programs.ts';
import { startProxy } from '../support/proxy-server.ts';
import { rollingRestart } from '../support/rolling-restart.ts';
import { startService } from '../support/service.ts';
import { send } from '../support/clients/http.ts';
import { suite } from '../support/suite.ts';

const test = suite('behind a proxy', { timeoutMs: 120_000 });
const files = { nginx: ['nginx.conf', 'nginx-several.conf'], haproxy: ['haproxy.cfg', 'haproxy-several.cfg'] } as const;

for (const name of ['nginx', 'haproxy'] as const) {
  const [single, several] = files[name];
  const titles = [
    `${single} forwards requests, links and sockets`,
    `${several}: no request fails during a rolling restart`,
  ] as const;
  const why = missing(name);
  if (why !== undefined) {
    for (const title of titles) test.skip(title, why);
    continue;
  }
  test(titles[0], async () => {
    await using service = await startService();
    await using proxy = await startProxy(name, single, [service]);
    const reply = await send(`${proxy.url}/json/version`);
    const own = proxy.url.replace('http:', 'ws:');
    assert.ok(reply.json<{ webSocketDebuggerUrl: string }>().webSocketDebuggerUrl.startsWith(own), reply.text);
    const browser = await puppeteer.connect({ browserWSEndpoint: own });
    const page = await browser.newPage();
    await page.setContent('<title>Through it</title>');
    assert.is(await page.title(), 'Through it');
    await browser.close();
  });
  test(titles[1], async () => {
    const { calls, failures, restarts } = await rollingRestart(name, several, 60);
    assert.equal(failures, []);
    assert.ok(calls >= 60 && restarts >= 3, `${calls} calls, ${restarts} restarts`);
  });
}
