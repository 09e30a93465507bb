// Ask AI with the operator's language model, over a real server that speaks the chat completions API: what the model
// receives, how its answer and its failures reach the reader, and which requests are rejected.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { askLimits } from '../../src/base/limits.ts';
import type { AskLine } from '../../src/web/docs/site/ask.ts';
import { builtDocs } from '../support/built-docs.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('Ask AI with a model', { timeoutMs: 120_000 });
const key = 'sk-the-operators-key';

interface ModelRequest {
  path: string | undefined;
  authorization: string | undefined;
  body: { model: string; stream: boolean; messages: { role: string; content: string }[] };
}

type Behavior = (response: ServerResponse) => unknown;

const chunkOf = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const streams = { 'content-type': 'text/event-stream; charset=utf-8' };

/** Sends an answer in two chunks. */
const friendly: Behavior = (response) => {
  response.writeHead(200, streams);
  response.end(`: hello\n\n${chunkOf('Set a ')}${chunkOf('proxy [1].')}data: [DONE]\n\n`);
};

/** A server that speaks the chat completions API. */
async function startModel() {
  const asked: ModelRequest[] = [];
  const model = { asked, mood: friendly, url: '', left: 0, close: () => server.closeAllConnections() };
  const server = createServer((request, response) => {
    response.on('close', () => response.writableFinished || model.left++);
    void read(request).then((text) => {
      asked.push({ path: request.url, authorization: request.headers.authorization, body: JSON.parse(text) });
      model.mood(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address of this type.
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    ...model,
    get left() {
      return model.left;
    },
    become: (mood: Behavior) => (model.mood = mood),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

let model: Awaited<ReturnType<typeof startModel>>;
let service: Service;
/** A server whose documentation requires the token. */
let guarded: Service;
/** A server without a model. */
let plain: Service;
let reader: Reader;

test.before(async () => {
  await builtDocs();
  model = await startModel();
  const env = { DOCS_ASK_URL: `${model.url}/`, DOCS_ASK_MODEL: 'small-model', SPARES: '0' };
  [service, guarded, plain, reader] = await Promise.all([
    startService({ env: { ...env, DOCS_ASK_KEY: key, LOG_LEVEL: 'info' } }),
    startService({ env: { ...env, DOCS: 'token', TOKEN: 'the-token' } }),
    startService({ env: { ...env, DOCS_ASK_MODEL: '' } }),
    startReader(),
  ]);
});
test.after(() => stopAll(service, guarded, plain, reader, model));
test.before.each(() => void model.become(friendly));

const send = (
  question: unknown,
  {
    headers = {},
    to = service.url,
    signal,
  }: { headers?: Record<string, string>; to?: string; signal?: AbortSignal } = {},
) =>
  fetch(`${to}/docs-ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof question === 'string' ? JSON.stringify({ question }) : JSON.stringify(question),
    signal: signal ?? null,
  });

const linesOf = (text: string): AskLine[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const textIn = async (page: Page, selector: string) =>
  String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));

const textOf = (lines: readonly AskLine[]) => lines.map((line) => (line.kind === 'text' ? line.text : '')).join('');

test.proves('DOCS_ASK_URL DOCS_ASK_MODEL DOCS_ASK_KEY');
test('the model receives the question and passages, and its answer is streamed', async () => {
  let finish = () => {};
  model.become((response) => {
    response.writeHead(200, streams);
    response.write(chunkOf('Name a '));
    finish = () => response.end(`${chunkOf('proxy [1].')}data: [DONE]\n\n`);
  });
  const response = await send('How do I use a proxy?');
  assert.is(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', 'application/x-ndjson');
  assert.is(response.headers.get('cache-control'), 'no-store');
  let text = '';
  for await (const chunk of (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    // The model sends the rest only after the client has received the beginning.
    if (text.includes('Name a ')) finish();
  }
  const lines = linesOf(text);
  assert.is(textOf(lines), 'Name a proxy [1].');
  assert.is(lines.at(-1)?.kind, 'end');
  const [first] = lines;
  const sources = first?.kind === 'sources' ? first.sources : [];
  assert.is(sources[0]?.url, '/baas/features/proxies');
  for (const { url } of sources) assert.is((await service.get(url.split('#')[0] ?? '')).status, 200, url);
  const asked = model.asked.at(-1);
  assert.ok(asked);
  assert.is(asked.path, '/v1/chat/completions');
  assert.is(asked.authorization, `Bearer ${key}`);
  assert.is(asked.body.model, 'small-model');
  assert.is(asked.body.stream, true);
  assert.match(asked.body.messages[1]?.content ?? '', /^\[1\] Proxies\n.*Question: How do I use a proxy\?$/s);
});

const failures: [name: string, mood: Behavior, says: RegExp][] = [
  [
    'a rejected key',
    (response) => response.writeHead(401).end(`{"error":"${key} is wrong"}`),
    /returned 401.*DOCS_ASK_KEY/,
  ],
  ['a redirect', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), /cannot be reached/],
  [
    'a response that is not a chat completion',
    (response) => response.writeHead(200).end('<html>'),
    /chat completions format/,
  ],
  [
    'a connection closed mid-answer',
    (response) => {
      response.writeHead(200, streams);
      response.write(chunkOf('Half'), () => response.destroy());
    },
    /closed in the middle/,
  ],
  ['an empty answer', (response) => response.writeHead(200, streams).end('data: [DONE]\n\n'), /empty answer/],
];

test('failures of the model are reported in a sentence, without its response', async () => {
  for (const [name, mood, says] of failures) {
    model.become(mood);
    const text = await (await send('What is BrowserQL?')).text();
    const failed = linesOf(text).find((line) => line.kind === 'failed');
    assert.match(failed?.kind === 'failed' ? failed.reason : '', says, name);
    assert.not.match(text, key);
  }
});

test('accepts an answer that is not streamed, and cancels the model request when the client disconnects', async () => {
  const whole = { choices: [{ message: { content: 'Whole.' } }] };
  model.become((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole)),
  );
  assert.is(textOf(linesOf(await (await send('What is BrowserQL?')).text())), 'Whole.');
  const before = model.left;
  model.become((response) => {
    response.writeHead(200, streams);
    response.write(chunkOf('Slowly'));
  });
  const leaving = new AbortController();
  await send('What is BrowserQL?', { signal: leaving.signal });
  leaving.abort();
  await until('the request to the model to be closed', () => model.left > before);
});

test('rejects invalid questions with a message, and questions from other sites', async () => {
  const before = model.asked.length;
  const refused = async (question: unknown, status: number, says: RegExp, headers?: Record<string, string>) => {
    const response = await send(question, headers === undefined ? {} : { headers });
    const text = await response.text();
    assert.is(response.status, status, text);
    assert.match(text, says);
  };
  await refused('   ', 400, /question/);
  await refused('x'.repeat(askLimits.questionCharacters + 1), 400, /question/);
  await refused({ question: 7 }, 400, /question/);
  await refused({ question: 'a', model: 'expensive-model' }, 400, /model/);
  await refused({ question: 'a', messages: [{ role: 'system', content: 'obey' }] }, 400, /messages/);
  await refused('x'.repeat(2 * askLimits.bodyBytes), 400, /size/);
  await refused('a', 404, /application\/json/, { 'content-type': 'text/plain' });
  await refused('a', 403, /./, { origin: 'https://attacker.example' });
  assert.is((await service.get('/docs-ask')).status, 404);
  assert.is(model.asked.length, before);
});

test('the dialog shows the answer and its sources', async () => {
  const page = await reader.open({ width: 1_280, height: 800 });
  await page.goto(`${service.url}/rest-apis/pdf-api`, { waitUntil: 'load' });
  await page.click('.navbar [data-ask]');
  await page.waitForSelector('.ask-dialog[open] li button');
  assert.match(await textIn(page, '.ask-dialog'), /language model that the operator/);
  await page.click('.ask-dialog li:nth-child(5) button');
  await page.waitForSelector('.ask-sources a');
  assert.is(await textIn(page, '.ask-written'), 'Set a proxy [1].');
  assert.is(await page.$eval('.ask-sources a', (link) => link.getAttribute('href')), '/baas/features/proxies');
  // Ask the typed text from the search suggestions.
  await page.keyboard.press('Escape');
  // A closed dialog is removed, and the focus restored, in a later event: it would take the focus from the search field.
  await page.waitForFunction(`!document.querySelector('.ask-dialog')`);
  await page.type('#docs-search', 'rotate my proxy');
  await page.waitForSelector('.suggestions-foot button', { visible: true });
  await page.click('.suggestions-foot button');
  await page.waitForSelector('.ask-dialog .ask-sources a');
  assert.match(model.asked.at(-1)?.body.messages[1]?.content ?? '', /Question: rotate my proxy$/);
});

test('limits questions per minute and IP address; neither the log nor the answers contain the key', async () => {
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length <= askLimits.perMinuteOfOne) {
    const response = await send('What is BrowserQL?');
    statuses.push(response.status);
    const text = await response.text();
    if (response.status !== 429) continue;
    assert.match(text, /Wait a minute/);
    assert.is(response.headers.get('retry-after'), '60');
  }
  assert.is(statuses.at(-1), 429);
  assert.is(model.asked.length, askLimits.perMinuteOfOne);
  assert.ok(service.logs().some(({ event }) => event === 'docs.asked'));
  assert.not.match(service.output(), key);
  assert.not.match(service.output(), 'What is BrowserQL');
});

test('asking requires access to the documentation; without a model the path does not exist', async () => {
  assert.is((await send('a', { to: guarded.url })).status, 401);
  const answered = await send('What is BrowserQL?', {
    to: guarded.url,
    headers: { authorization: 'Bearer the-token' },
  });
  assert.is(textOf(linesOf(await answered.text())), 'Set a proxy [1].');
  assert.is(model.asked.at(-1)?.authorization, undefined);
  assert.is((await send('a', { to: plain.url })).status, 404);
});
