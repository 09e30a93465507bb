/** Starts the live view page and dispatches each message to the part that handles it. */
import { liveLimits } from '../../../../base/limits.ts';
import type { ServerMessage } from '../../../../sessions/live/protocol/messages.ts';
import type { Acting } from './act/act.ts';
import { connect } from './watch/connection.ts';
import { button, part, setText } from '../dom/parts.ts';
import { createFrames } from './watch/frames.ts';
import { createStatus } from './watch/status.ts';
import { createTabs } from './watch/tabs.ts';
import { createView } from './watch/view.ts';

type Hello = Extract<ServerMessage, { t: 'hello' }>;

const { body } = document;
const address = body.dataset['socket'] ?? '';
const canvas = part('screen', HTMLCanvasElement);
const view = createView(part('stage', HTMLElement), part('frame', HTMLElement), canvas);
let hello: Hello | undefined;
/** A promise, so that messages stay in order while the module loads. */
let acting: Promise<Acting> | undefined;
let host = '';

const connection = connect(address, {
  onMessage: handleMessage,
  onFrame: (bytes) => pictures.add(bytes),
  onLost(delayMs) {
    pictures.restart();
    closeQuestions();
    status.lost(delayMs);
  },
  onGone: () => handleMessage({ t: 'end', reason: 'closed', text: 'This link has expired.' }),
});
const { send } = connection;
const status = createStatus(connection.isBehind);
const pictures = createFrames(canvas, send, (picture) => {
  view.setPage(picture.width, picture.height);
  status.drawn(picture);
});
const tabs = createTabs(send, () => part('keys', HTMLTextAreaElement).focus());

function handleMessage(message: ServerMessage): void {
  if (message.t === 'hello') start(message);
  else if (message.t === 'tabs') tabs.tabs(message);
  else if (message.t === 'viewers') status.viewers(message.n);
  else if (message.t === 'page') {
    host = URL.canParse(message.url) ? new URL(message.url).host : '';
    tabs.page(message);
  } else if (message.t === 'end') {
    connection.end();
    closeQuestions();
    part('ask', HTMLElement).hidden = true;
    status.end(message.reason, message.text);
  }
  const from = host;
  if (acting !== undefined) void acting.then((parts) => parts.take(message, from));
  else if (message.t === 'dialog') status.dialog(`${from || 'The page'} says: ${message.message}`);
  else if (message.t === 'dialogGone') status.dialog('');
}

const closeQuestions = () => void acting?.then((parts) => parts.close());

function start(facts: Hello): void {
  hello = facts;
  tabs.start(facts.ui, facts.interactive);
  if (facts.interactive) {
    acting ??= import('./act/act.ts').then(({ startActing }) => startActing({ canvas, view, send, address }));
  }
  body.classList.toggle('interactive', facts.interactive);
  setText(part('instructions', HTMLElement), facts.instructions);
  part('ask', HTMLElement).hidden = !facts.interactive || facts.instructions === '';
  status.hello(facts);
  sendSize();
  sendVisible();
}

const between = (least: number, value: number, most: number) => Math.max(least, Math.min(Math.round(value), most));

function sendSize(): void {
  if (hello?.resizable !== true) return;
  const { width, height } = view.room();
  const w = between(200, width, liveLimits.pageWidth);
  const h = between(200, height, liveLimits.pageHeight);
  send({ t: 'size', w, h, dpr: Math.max(1, Math.min(devicePixelRatio, 2)) });
}

const sendVisible = () => send({ t: 'visible', on: !document.hidden });
document.addEventListener('visibilitychange', sendVisible);

let resizing = 0;
addEventListener('resize', () => {
  clearTimeout(resizing);
  resizing = setTimeout(sendSize, 150);
});

const fullScreen = button('full-screen');
fullScreen.hidden = !document.fullscreenEnabled;
fullScreen.addEventListener('click', () => {
  const isFull = document.fullscreenElement !== null;
  void (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => undefined);
});
