/**
 * Rebuilds a page from the events of a recording, with rrweb. Runs in a document without an origin; the player, two
 * windows above, sends the events and specifies which moment to show.
 */
import { Replayer } from '@rrweb/replay';
import style from '@rrweb/replay/dist/style.css';
import type { FromReplay, RecordedEvent, ToReplay } from './messages.ts';
import { Resources } from './resources.ts';
import { States } from './states.ts';

type ReplayerEvents = ConstructorParameters<typeof Replayer>[0];

const player = parent.parent;
const sheet = document.createElement('style');
// The cursor has no position before it has moved.
sheet.textContent = `${style}.replayer-wrapper>iframe{border:0;background:#fff}.replayer-mouse:not([style*=left]){display:none}`;
document.head.append(sheet);

/** Events that arrived before the first whole document. */
const early: RecordedEvent[] = [];
let replayer: Replayer | undefined;
let base = 0;
/** Times of the first document and of the last received event, in milliseconds since `base`. */
let documentMs = 0;
let knownMs = 0;
let isComplete = false;
const resources = new Resources();
/** A pending rebuild, because resources have arrived that what is shown needs. */
let rebuilding: ReturnType<typeof setTimeout> | undefined;
const rebuildEveryMs = 1_000;
let speed = 1;
/** The player's last request. */
let wanted: { isPlaying: boolean; ms: number } = { isPlaying: false, ms: 0 };
let isWaiting = false;
let isRunning = false;
const size = { width: 0, height: 0 };

// This document does not know the player's origin; the messages are not secret.
const post = (message: FromReplay) => player.postMessage(message, '*');

addEventListener('message', ({ source, data }: MessageEvent<ToReplay>) => {
  if (source !== player) return;
  if (data.t === 'events') take(JSON.parse(data.json), data.isLast);
  else if (data.t === 'speed') {
    speed = data.speed;
    replayer?.setConfig({ speed });
  } else {
    wanted = { isPlaying: data.t === 'play', ms: data.ms };
    show();
  }
});

function take(events: RecordedEvent[], isLast: boolean): void {
  isComplete ||= isLast;
  const isNeeded = resources.add(events);
  if ((isLast && resources.complete()) || isNeeded) rebuilding ??= setTimeout(rebuild, isLast ? 0 : rebuildEveryMs);
  if (replayer) for (const event of events) replayer.addEvent(eventOf(event));
  else early.push(...events);
  const last = events.at(-1);
  if (!replayer) start();
  if (last) knownMs = last.timestamp - base;
  if (isComplete && !replayer) post({ t: 'failed' });
  if (isWaiting) show();
}

// The library does not validate events either: they come from its own recorder, and those that fail are skipped.
const eventOf = (event: RecordedEvent) => event as unknown as Parameters<Replayer['addEvent']>[0];

function start(): void {
  const first = early[0];
  const whole = early.find(({ type }) => type === 2);
  if (!first || !whole || early.length < 2) return;
  base = first.timestamp;
  documentMs = whole.timestamp - base + 1;
  try {
    // The same cast as in `eventOf`.
    const events = early.splice(0) as unknown as ReplayerEvents;
    const made = new Replayer(events, {
      root: document.body,
      speed,
      loadTimeout: 0,
      showWarning: false,
      showDebug: false,
      mouseTail: false,
      triggerFocus: false,
      UNSAFE_replayCanvas: false,
      // Without scripts, Chromium shows the controls of every video.
      insertStyleRules: ['video:not([controls])::-webkit-media-controls { display: none !important }'],
    });
    made.on('resize', (dimension) => {
      // The library does not type the payload.
      Object.assign(size, dimension);
      fit();
    });
    made.on('fullsnapshot-rebuilded', () => post({ t: 'shown' }));
    made.on('finish', () => {
      isRunning = false;
      post({ t: 'end' });
    });
    prepareEvents(made);
    const states = new States((id) => made.getMirror().getNode(id));
    let isApplying = false;
    const apply = () => {
      if (isApplying) return;
      isApplying = true;
      // Once the library has applied all events up to this moment.
      setTimeout(() => {
        isApplying = false;
        states.apply();
      });
    };
    made.on('fullsnapshot-rebuilded', () => states.clear());
    made.on('custom-event', (event) => {
      // The library does not type the payload; these are events of the recording.
      states.take(event as RecordedEvent);
      apply();
    });
    made.on('flush', apply);
    replayer = made;
    show();
  } catch {
    post({ t: 'failed' });
  }
}

/** Builds what is shown from the start. */
function rebuild(): void {
  rebuilding = undefined;
  if (!replayer) return;
  const ms = isRunning ? replayer.getCurrentTime() : wanted.ms;
  replayer.pause(documentMs);
  wanted = { ...wanted, ms };
  show();
}

/** Methods with which the library applies a document and a change; its types declare them private. */
interface Building {
  rebuildFullSnapshot(event: RecordedEvent, ...given: unknown[]): void;
  applyIncremental(event: RecordedEvent, ...given: unknown[]): void;
}

/**
 * Completes events before they are applied, and skips those that the library cannot apply: an error would stop it on
 * the way to the requested moment.
 */
function prepareEvents(made: Replayer): void {
  // The library has no other hook between one event and the next.
  const building = made as unknown as Building;
  for (const name of ['rebuildFullSnapshot', 'applyIncremental'] as const) {
    const build = building[name].bind(made);
    building[name] = (event, ...given) => {
      try {
        resources.rewrite(event);
        build(event, ...given);
      } catch (error) {
        console.warn('An event of the recording cannot be shown.', error);
      }
    };
  }
}

/** Shows the requested moment; waits if its events have not arrived yet. */
function show(): void {
  isWaiting = !replayer || (!isComplete && wanted.ms > knownMs);
  if (!replayer || isWaiting) return;
  // The library applies the events before a moment, but not those at that moment.
  const ms = Math.max(documentMs, wanted.ms + 1);
  if (wanted.isPlaying) {
    replayer.play(ms);
    if (!isRunning) requestAnimationFrame(run);
    isRunning = true;
  } else {
    isRunning = false;
    replayer.pause(ms);
  }
}

function run(): void {
  if (!isRunning || !replayer) return;
  post({ t: 'at', ms: replayer.getCurrentTime() });
  requestAnimationFrame(run);
}

/** Scales the page to fit and centers it. */
function fit(): void {
  if (!replayer || size.width <= 0 || size.height <= 0) return;
  const scale = Math.min(innerWidth / size.width, innerHeight / size.height);
  const x = (innerWidth - size.width * scale) / 2;
  const y = (innerHeight - size.height * scale) / 2;
  const { wrapper } = replayer;
  wrapper.style.transformOrigin = '0 0';
  wrapper.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
}
addEventListener('resize', fit);

post({ t: 'hello' });
