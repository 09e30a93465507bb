// POST /screenshot as existing clients use it.
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { readPng } from '../support/checks/media.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('contract: screenshot');
const path = '/screenshot';

test.peer('REST routes', 'screenshot: a viewport with deviceScaleFactor');
test(`${path}: viewport with deviceScaleFactor`, async () => {
  const viewport = { width: 300, height: 200, deviceScaleFactor: 2 };
  const reply = await fixture.post(path, { url: `${fixture.site.url}/`, viewport });
  const { width, height } = readPng(succeeded(reply, 'image/png').bytes);
  assert.equal([width, height], [600, 400]);
});

test.peer('REST routes', 'screenshot: the element that matches a selector');
test(`${path}: selector`, async () => {
  const html = '<body style="margin:0"><h1 style="width:200px;height:50px;margin:20px">Title</h1></body>';
  const reply = await fixture.post(path, { html, selector: 'h1' });
  const { width, height } = readPng(succeeded(reply, 'image/png').bytes);
  assert.equal([width, height], [200, 50]);
});

test.peer('REST routes', 'screenshot: a selector that matches nothing is a 400 with the documented message');
test(`${path}: returns 400 if the selector matches nothing`, async () => {
  const body = { url: `${fixture.site.url}/`, selector: '#none' };
  await fixture.refuse(path, body, 400, 'Element not found on page!');
});

test.proves('screenshot:options.path');
test.peer('REST routes', 'screenshot: options.path is a 400 with the documented message');
test(`${path}: rejects options.path`, async () => {
  const body = { url: `${fixture.site.url}/`, options: { path: '/tmp/x.png' } };
  await fixture.refuse(path, body, 400, '"path" option is not allowed');
});
