// The shield with scripted messages: contexts and their order, console, bindings, limits, how it fails open; and the
// names of libraries in pages, which differ for each connection and are restored in what the browser reports.
import * as assert from 'uvu/assert';
import { Names } from '../../src/sessions/cdp/shield/names.ts';
import { onePage, scriptedShield } from '../support/scripted-shield.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('shield');

/** A client that has enabled Page and Runtime. */
async function enabled(...options: Parameters<typeof scriptedShield>) {
  const client = scriptedShield(...options);
  client.send('Page.enable');
  client.send('Runtime.enable');
  await client.settled();
  client.seen.length = 0;
  return client;
}

test('the context comes before the response, earlier responses before it, and later events after it', async () => {
  const client = scriptedShield();
  client.send('Page.enable');
  client.send('Runtime.enable');
  client.hear({ id: 1, result: {} });
  await client.settled();
  client.hear({ method: 'Page.loadEventFired', params: {} });
  assert.equal(client.seen, ['answer 1', 'context 1', 'answer 2', 'Page.loadEventFired']);
  assert.equal(
    client.passed.map(({ method }) => method),
    ['Page.enable'],
  );
  assert.not(client.own.some(({ method }) => method === 'Runtime.enable'));
  assert.equal(client.notices, [{ lost: ['pageerror', 'console arguments as objects'] }]);
  client.send('Runtime.enable');
  assert.is(client.seen.at(-1), 'answer 3');
  assert.is(client.notices.length, 1);
});

test('inspected objects are released', async () => {
  const client = await enabled();
  assert.equal(
    client.own.filter(({ method }) => method === 'Runtime.releaseObject').map(({ params }) => params),
    [{ objectId: '1.1.1' }],
  );
});

test('a new document: contexts cleared, the event, its contexts, then what arrived in between', async () => {
  const client = await enabled();
  client.send('Page.addScriptToEvaluateOnNewDocument', { source: '', worldName: 'util' });
  client.navigate();
  client.hear({ method: 'Page.lifecycleEvent', params: { name: 'load' } });
  client.hear({ id: 3, result: { identifier: '1' } });
  assert.equal(client.seen, ['Runtime.executionContextsCleared', 'Page.frameNavigated']);
  await client.settled();
  assert.equal(client.seen.slice(2), ['context 1', 'context 11 util', 'Page.lifecycleEvent', 'answer 3']);
});

test('documents that follow immediately keep their order', async () => {
  const client = await enabled();
  client.navigate();
  client.navigate('CHILD', 'MAIN');
  client.hear({ method: 'Page.frameDetached', params: { frameId: 'CHILD' } });
  client.hear({ method: 'Page.loadEventFired', params: {} });
  await client.settled();
  assert.equal(
    client.seen.join(', '),
    [
      'Runtime.executionContextsCleared, Page.frameNavigated, context 1, Page.frameNavigated, context 2',
      'Page.frameDetached, Runtime.executionContextDestroyed, Page.loadEventFired',
    ].join(', '),
  );
  const child = client.events.find(({ params }) => Object(params['context']).id === 2);
  assert.equal(child?.params['context'], {
    id: 2,
    origin: 'http://site',
    name: '',
    uniqueId: '2.CHILD',
    auxData: { isDefault: true, type: 'default', frameId: 'CHILD' },
  });
});

test('a frame without its own document, and one that is gone, have no context', async () => {
  const script = onePage();
  const client = await enabled(script);
  script['DOM.describeNode'] = () => ({ node: {} });
  client.navigate('CHILD', 'MAIN');
  await client.settled();
  script['DOM.getFrameOwner'] = () => new Error('Frame with the given id was not found.');
  client.navigate('OTHER', 'MAIN');
  await client.settled();
  assert.equal(client.seen, ['Page.frameNavigated', 'Page.frameNavigated']);
  assert.equal(client.opened, []);
});

test('a cross-site frame has no context until its document arrives, and the session does not fall open', async () => {
  const script = onePage();
  const look = script['Runtime.evaluate'];
  script['Runtime.evaluate'] = () => new Error('Cannot find default execution context');
  script['Page.createIsolatedWorld'] = () => new Error('Could not create isolated world');
  const client = scriptedShield(script);
  client.send('Page.addScriptToEvaluateOnNewDocument', { source: '', worldName: 'util' });
  client.send('Runtime.enable');
  await client.settled();
  assert.equal(client.seen, ['answer 2']);
  assert.equal(client.opened, []);
  if (look) script['Runtime.evaluate'] = look;
  delete script['Page.createIsolatedWorld'];
  client.navigate();
  await client.settled();
  assert.ok(client.seen.includes('context 1'), client.seen.join());
  assert.equal(client.opened, []);
});

test('the context of a world that the client creates comes before the response', async () => {
  const client = await enabled();
  client.send('Page.createIsolatedWorld', { frameId: 'MAIN', worldName: 'mine' });
  client.hear({ id: 3, result: { executionContextId: 30 } });
  client.send('Page.createIsolatedWorld', { frameId: 'NONE', worldName: 'mine' });
  client.hear({ id: 4, error: { code: -32_000, message: 'No frame for given id found' } });
  assert.equal(client.seen, ['context 30 mine', 'answer 3', 'answer 4']);
});

test('console messages become calls with text; a limited number is kept until the first context', async () => {
  const client = scriptedShield(onePage(), { keptMessages: 2 });
  const say = (text: string) =>
    client.hear({ method: 'Console.messageAdded', params: { message: { source: 'console-api', level: 'log', text } } });
  client.send('Runtime.enable');
  for (const text of ['one', 'two', 'three']) say(text);
  await client.settled();
  say('four');
  client.hear({
    method: 'Console.messageAdded',
    params: { message: { source: 'network', level: 'error', text: 'x' } },
  });
  const calls = client.events.filter(({ method }) => method === 'Runtime.consoleAPICalled');
  assert.equal(
    calls.map(({ params }) => [params['executionContextId'], Object(params['args'])[0].value]),
    [
      [1, 'one'],
      [1, 'two'],
      [1, 'four'],
    ],
  );
  assert.not(client.seen.includes('Console.messageAdded'));
  client.send('Console.enable');
  say('five');
  assert.equal(client.seen.slice(-2), ['Runtime.consoleAPICalled', 'Console.messageAdded']);
  client.send('Console.disable');
  assert.is(client.seen.at(-1), 'answer 3');
});

test('a client without Page gets contexts, but no Page events', async () => {
  const client = scriptedShield();
  client.send('Runtime.enable');
  await client.settled();
  client.navigate();
  client.hear({ method: 'Page.loadEventFired', params: {} });
  await client.settled();
  assert.equal(client.seen, ['context 1', 'answer 1', 'Runtime.executionContextsCleared', 'context 1']);
});

test('bindings are added to each new context, and those of a world only to its own', async () => {
  const client = await enabled();
  client.send('Page.addScriptToEvaluateOnNewDocument', { source: '', worldName: 'util' });
  client.send('Runtime.addBinding', { name: 'everywhere' });
  client.send('Runtime.addBinding', { name: 'inWorld', executionContextName: 'util' });
  client.send('Runtime.addBinding', { name: 'gone' });
  client.send('Runtime.removeBinding', { name: 'gone' });
  client.navigate();
  await client.settled();
  const added = client.own.filter(({ method }) => method === 'Runtime.addBinding').map(({ params }) => params);
  assert.equal(added, [
    { name: 'everywhere', executionContextId: 1 },
    { name: 'everywhere', executionContextId: 11 },
    { name: 'inWorld', executionContextId: 11 },
  ]);
  const kept = client.own.filter(({ method }) => method === 'Page.addScriptToEvaluateOnNewDocument');
  assert.is(kept.length, 2);
  assert.is(client.own.filter(({ method }) => method === 'Page.removeScriptToEvaluateOnNewDocument').length, 1);
});

test('a context is identified by the unique id that the client was given', async () => {
  const client = await enabled();
  const frame = 'ABCDEF0123456789ABCDEF0123456789';
  client.send('Runtime.evaluate', { expression: '1', uniqueContextId: `7.${frame}` });
  client.send('Runtime.evaluate', { expression: '1', uniqueContextId: '-123.456' });
  assert.equal(
    client.passed.slice(1).map(({ params }) => params),
    [
      { expression: '1', contextId: 7 },
      { expression: '1', uniqueContextId: '-123.456' },
    ],
  );
});

test('on a failure the session falls open: the command goes to the browser, and the client gets the reason', async () => {
  const script = onePage();
  script['Runtime.evaluate'] = () => new Error('Internal error');
  const client = await enabled(script);
  assert.equal(client.passed.at(-1), { id: 2, method: 'Runtime.enable', params: {}, sessionId: 'S' });
  assert.equal(client.opened, ['Runtime.evaluate: Internal error']);
  assert.is(Object(client.notices.at(-1)).reason, 'Runtime.evaluate: Internal error');
  client.navigate();
  client.hear({ method: 'Runtime.executionContextCreated', params: { context: { id: 9, name: '' } } });
  client.send('Runtime.disable');
  assert.equal(client.seen, ['Page.frameNavigated', 'context 9']);
  assert.is(client.passed.at(-1)?.method, 'Runtime.disable');
});

test('if a page does not respond, events overtake its contexts, then the session falls open', async () => {
  const script = onePage();
  const client = await enabled(script, { holdMs: 20, lookupMs: 200 });
  script['Runtime.evaluate'] = () => undefined;
  client.navigate();
  client.hear({ method: 'Page.loadEventFired', params: {} });
  await until('the event', () => client.seen.at(-1) === 'Page.loadEventFired');
  assert.equal(client.opened, []);
  await until('the session to fall open', () => client.opened.length === 1);
  assert.is(client.own.at(-1)?.method, 'Runtime.enable');
});

test('a dialog goes to the client immediately, and stops the clock while it is open', async () => {
  const script = onePage();
  const client = await enabled(script, { lookupMs: 20 });
  script['Runtime.evaluate'] = () => undefined;
  client.navigate();
  client.hear({ method: 'Page.javascriptDialogOpening', params: { type: 'alert' } });
  assert.is(client.seen.at(-1), 'Page.javascriptDialogOpening');
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(client.opened, []);
  client.hear({ method: 'Page.javascriptDialogClosed', params: {} });
  await until('the session to fall open', () => client.opened.length === 1);
});

test('events overtake the contexts if too many bytes are waiting', async () => {
  const script = onePage();
  const client = await enabled(script, { heldBytes: 200 });
  script['Runtime.evaluate'] = () => undefined;
  client.navigate();
  client.hear({ method: 'Network.dataReceived', params: { data: 'x'.repeat(100) } });
  assert.is(client.seen.at(-1), 'Page.frameNavigated');
  client.hear({ method: 'Network.loadingFinished', params: { data: 'x'.repeat(100) } });
  assert.equal(client.seen.slice(-2), ['Network.dataReceived', 'Network.loadingFinished']);
  client.shield[Symbol.dispose]();
});

for (const [limit, method, params, reason] of [
  ['worlds', 'Page.addScriptToEvaluateOnNewDocument', { worldName: 'w' }, 'isolated worlds'],
  ['bindings', 'Runtime.addBinding', { name: 'b' }, 'bindings'],
  ['pendingResponses', 'Page.createIsolatedWorld', { frameId: 'MAIN' }, 'commands without a response'],
] as const) {
  test(`the session falls open above the limit of ${limit}`, async () => {
    const client = await enabled(onePage(), { [limit]: 0 });
    client.send(method, params);
    assert.equal(client.opened, [`The session has too many ${reason}`]);
    assert.is(client.passed.at(-1)?.method, method);
  });
}

test('the session falls open if it has more frames than the shield keeps', async () => {
  const client = await enabled(onePage(), { frames: 1 });
  client.navigate('CHILD', 'MAIN');
  await client.settled();
  assert.equal(client.opened, ['The session has too many frames']);
});

test('a mouse press gets a force, unless the client sent one', async () => {
  const client = scriptedShield();
  client.send('Input.dispatchMouseEvent', { type: 'mousePressed' });
  client.send('Input.dispatchMouseEvent', { type: 'mousePressed', force: 0.1 });
  client.send('Input.dispatchMouseEvent', { type: 'mouseMoved' });
  assert.equal(
    client.passed.map(({ params }) => Object(params).force),
    [0.5, 0.1, undefined],
  );
});

test('ids reserved for the server are rejected', () => {
  const client = scriptedShield();
  client.shield.forward({ id: 2 ** 30, method: 'Page.enable', params: {}, sessionId: 'S' });
  assert.equal(client.seen, [`error ${2 ** 30}`]);
  assert.equal(client.passed, []);
});

const evaluated = (names: Names, expression: string) =>
  String(names.toBrowser('Runtime.evaluate', { expression })['expression']);

test('replacements have the same length, differ between connections, and stay the same within one', () => {
  const names = new Names();
  for (const name of ['puppeteer_', '__ariaQuerySelector', '__playwright__binding__', 'UtilityScript']) {
    const renamed = evaluated(names, name);
    assert.match(renamed, /^_[a-z]+$/);
    assert.is(renamed.length, name.length);
    assert.is(evaluated(names, `x = ${name};`), `x = ${renamed};`);
    assert.is.not(evaluated(new Names(), name), renamed);
  }
});

test('a binding and the code that calls it use the same name, and the client gets its own name back', () => {
  const names = new Names();
  const { name } = names.toBrowser('Runtime.addBinding', { name: 'puppeteer___ariaQuerySelector' });
  const called = names.toBrowser('Runtime.callFunctionOn', {
    functionDeclaration: '(type, name, prefix) => globalThis[prefix + name]',
    arguments: [{ value: 'internal' }, { value: '__ariaQuerySelector' }, { value: 'puppeteer_' }],
  });
  const values: { value: string }[] = Object(called['arguments']);
  assert.is(`${values[2]?.value}${values[1]?.value}`, name);
  assert.is(values[0]?.value, 'internal');
  assert.is(names.toClient(`{"name":"${name}"}`), '{"name":"puppeteer___ariaQuerySelector"}');
});

test('comments with the source URL of library scripts are removed', () => {
  const names = new Names();
  assert.is(evaluated(names, '1 + 1\n//# sourceURL=pptr:evaluate;mine\n'), '1 + 1\n\n');
  assert.is(evaluated(names, '1\n//# sourceURL=__puppeteer_evaluation_script__'), '1\n');
  assert.is(evaluated(names, '1\n//# sourceURL=mine.js'), '1\n//# sourceURL=mine.js');
});

test("the user's values and other commands stay as they are", () => {
  const names = new Names();
  const call = { functionDeclaration: '(text) => text', arguments: [{ value: 'about puppeteer_ and UtilityScript' }] };
  assert.is(names.toBrowser('Runtime.callFunctionOn', call), call);
  const typed = { text: 'puppeteer_' };
  assert.is(names.toBrowser('Input.insertText', typed), typed);
  for (const odd of [{ arguments: 7 }, { arguments: [null, 7, {}] }, { functionDeclaration: 7 }, {}]) {
    assert.is(names.toBrowser('Runtime.callFunctionOn', odd), odd);
  }
});
