// POST /screenshot as existing clients use it.
import * as assert from 'uvu/assert';
import { pageContract } from '../support/checks/contract.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { readPng } from '../support/checks/media.ts';

const { test, fixture } = pageContract({
  route: 'screenshot',
  contentType: 'image/png',
  check: (reply) => {
    const { width, height } = readPng(reply.bytes);
    assert.equal([width, height], [800, 600]);
  },
});

const path = '/screenshot';

test.peer('REST routes', 'screenshot: a viewport with deviceScaleFactor');
test(`${path}: viewport with deviceScaleFactor`, async (signal) => {
  const viewport = { width: 300, height: 200, deviceScaleFactor: 2 };
  const reply = await fixture.service.post(path, { url: `${fixture.site.url}/`, viewport }, { signal });
  const { width, height } = readPng(succeeded(reply, 'image/png').bytes);
  assert.equal([width, height], [600, 400]);
});

test.peer('REST routes', 'screenshot: the element that matches a selector');
test(`${path}: selector`, async (signal) => {
  const html = '<body style="margin:0"><h1 style="width:200px;height:50px;margin:20px">Title</h1></body>';
  const reply = await fixture.service.post(path, { html, selector: 'h1' }, { signal });
  const { width, height } = readPng(succeeded(reply, 'image/png').bytes);
  assert.equal([width, height], [200, 50]);
});

test.peer('REST routes', 'screenshot: a selector that matches nothing is a 400 with the documented message');
test(`${path}: returns 400 if the selector matches nothing`, async (signal) => {
  const reply = await fixture.service.post(path, { url: `${fixture.site.url}/`, selector: '#none' }, { signal });
  refused(reply, 400, 'Element not found on page!');
});

test.proves('screenshot:options.path');
test.peer('REST routes', 'screenshot: options.path is a 400 with the documented message');
test(`${path}: rejects options.path`, async (signal) => {
  const body = { url: `${fixture.site.url}/`, options: { path: '/tmp/x.png' } };
  refused(await fixture.service.post(path, body, { signal }), 400, '"path" option is not allowed');
});
