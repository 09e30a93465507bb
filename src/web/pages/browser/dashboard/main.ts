/** Starts the dashboard page and passes each part of the server's messages to the part of the page that shows it. */
import type { Curves, Figures } from '../../../../control/dashboard/protocol/state.ts';
import { part, setText } from '../dom/parts.ts';
import { formatDuration } from '../live/watch/status.ts';
import { listen } from './feed.ts';
import { showFigures } from './figures.ts';
import { createLists } from './lists.ts';
import { createMenu } from './menu.ts';
import { createThumbnails } from './thumbnails.ts';
import { createSessions } from './sessions.ts';

const { body } = document;
const base = body.dataset['base'] ?? '';
const urlFor = (id: string, action: string) => `${base}/dashboard/sessions/${id}/${action}`;

const thumbnails = createThumbnails((id) => `${base}/dashboard/thumbnails/${id}`);
const sessions = createSessions({ menu: createMenu(urlFor), thumbnails, urlFor });
const lists = createLists(base);
let figures: Figures | undefined;
let curves: Curves | undefined;
/** Offset from `performance.now()` to the server's time. */
let ahead = 0;
/** When the shown state was last up to date, by `performance.now()`; 0 before the first message. */
let knownAt = 0;
/** Message that explains why no messages are arriving; empty while connected. */
let problem = '';

listen(base, {
  message({ now, ...state }) {
    ahead = now - performance.now();
    knownAt = performance.now();
    problem = '';
    figures = state.figures ?? figures;
    curves = state.curves ?? curves;
    if (figures && (state.figures || state.curves)) showFigures(figures, curves);
    if (state.sessions) sessions.show(state.sessions);
    if (state.queue) lists.queue(state.queue);
    if (state.recordings) lists.recordings(state.recordings);
    showConnection('live', 'Live');
    thumbnails.run(true);
    tick();
  },
  lost(why) {
    problem = why;
    thumbnails.run(false);
    if (body.dataset['state'] === 'live') {
      knownAt = performance.now();
      showConnection('offline', 'Offline');
    }
    tick();
  },
});

function showConnection(state: 'live' | 'offline', text: string): void {
  body.dataset['state'] = state;
  setText(part('state', HTMLElement), text);
}

function tick(): void {
  const isOffline = body.dataset['state'] === 'offline';
  // While offline, freeze the ages too, like everything else on the page.
  const now = isOffline ? knownAt : performance.now();
  sessions.tick(now + ahead);
  lists.tick(now + ahead);
  const line = part('offline', HTMLElement);
  line.hidden = problem === '';
  const seconds = Math.round((performance.now() - knownAt) / 1_000);
  const rest = isOffline ? `Showing data from ${formatDuration(seconds)} ago; retrying.` : 'Retrying.';
  setText(line, `${problem} ${rest}`);
}

setInterval(tick, 1_000);
