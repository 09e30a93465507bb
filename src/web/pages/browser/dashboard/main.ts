/** Starts the page of the dashboard: gives each part of what the server tells to the part of the page that shows it. */
import type { Curves, Figures } from '../../../../control/dashboard/protocol/state.ts';
import { part, setText } from '../dom/parts.ts';
import { inWords } from '../live/watch/status.ts';
import { listen } from './feed.ts';
import { showFigures } from './figures.ts';
import { createLists } from './lists.ts';
import { createMenu } from './menu.ts';
import { createPictures } from './pictures.ts';
import { createSessions } from './sessions.ts';

const { body } = document;
const base = body.dataset['base'] ?? '';
const addressOf = (id: string, action: string) => `${base}/dashboard/sessions/${id}/${action}`;

const pictures = createPictures((id) => `${base}/dashboard/thumbnails/${id}`);
const sessions = createSessions({ menu: createMenu(addressOf), pictures, addressOf });
const lists = createLists(base);
let figures: Figures | undefined;
let curves: Curves | undefined;
/** What to add to `performance.now()` for the time of the server. */
let ahead = 0;
/** When what is shown was true last, by `performance.now()`; 0 before the first message. */
let knownAt = 0;
/** Why nothing comes, as a sentence; empty while it does. */
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
    tell('live', 'Live');
    pictures.run(true);
    tick();
  },
  lost(why) {
    problem = why;
    pictures.run(false);
    if (body.dataset['state'] === 'live') {
      knownAt = performance.now();
      tell('offline', 'Offline');
    }
    tick();
  },
});

function tell(state: 'live' | 'offline', text: string): void {
  body.dataset['state'] = state;
  setText(part('state', HTMLElement), text);
}

function tick(): void {
  const isOffline = body.dataset['state'] === 'offline';
  // Ages stand still with what they are ages of.
  const now = isOffline ? knownAt : performance.now();
  sessions.tick(now + ahead);
  lists.tick(now + ahead);
  const line = part('offline', HTMLElement);
  line.hidden = problem === '';
  const seconds = Math.round((performance.now() - knownAt) / 1_000);
  const rest = isOffline ? `This is what was there ${inWords(seconds)} ago; trying again.` : 'Trying again.';
  setText(line, `${problem} ${rest}`);
}

setInterval(tick, 1_000);
