/** Shows the sessions as cards; a card stays the same element as long as its session runs. */
import type { SessionEntry, PartialList } from '../../../../control/dashboard/protocol/state.ts';
import { button, cloneTemplate, part, setText, within } from '../dom/parts.ts';
import { formatDuration } from '../live/watch/status.ts';
import { removeKeepingFocus } from './focus.ts';
import type { Menu } from './menu.ts';
import type { Thumbnails } from './thumbnails.ts';

interface Card {
  element: HTMLElement;
  entry: SessionEntry;
  hasThumbnail: boolean;
}

interface SessionsOptions {
  menu: Menu;
  thumbnails: Thumbnails;
  /** Returns the URL of an action on a session. */
  urlFor(id: string, action: string): string;
}

export function createSessions({ menu, thumbnails, urlFor }: SessionsOptions) {
  const list = part('sessions', HTMLElement);
  const filter = part('filter', HTMLInputElement);
  const cards = new Map<string, Card>();

  const applyFilter = () => {
    const filterText = filter.value.trim().toLowerCase();
    let matches = 0;
    for (const { element, entry } of cards.values()) {
      const { title, route, trackingId, browser, id } = entry;
      const isWanted = [title, route, trackingId ?? '', browser, id].join('\n').toLowerCase().includes(filterText);
      element.hidden = !isWanted;
      if (isWanted) matches++;
    }
    part('no-sessions', HTMLElement).hidden = cards.size > 0;
    part('no-match', HTMLElement).hidden = cards.size === 0 || matches > 0;
  };
  filter.addEventListener('input', applyFilter);
  button('clear-filter').addEventListener('click', () => {
    filter.value = '';
    applyFilter();
    filter.focus();
  });

  const make = (entry: SessionEntry): Card => {
    const element = cloneTemplate('session');
    const card: Card = { element, entry, hasThumbnail: false };
    const more = within(element, '.more', HTMLButtonElement);
    more.addEventListener('click', () => menu.open(card.entry, more));
    within(element, '.watch', HTMLFormElement).action = urlFor(entry.id, 'watch');
    within(element, '.act', HTMLFormElement).action = urlFor(entry.id, 'take-over');
    cards.set(entry.id, card);
    list.append(element);
    return card;
  };

  const fill = (card: Card, entry: SessionEntry) => {
    const { element } = card;
    const { title, route, browser, trackingId, viewers, recording, replay, closed } = entry;
    card.entry = entry;
    const name = title || browser;
    setText(within(element, '.info b', HTMLElement), name);
    within(element, '.info b', HTMLElement).title = name;
    setText(within(element, 'code', HTMLElement), route);
    const tracking = within(element, '.tracking', HTMLElement);
    setText(tracking, trackingId ?? '');
    tracking.hidden = trackingId === null;
    within(element, '.viewers', HTMLElement).hidden = viewers === 0;
    setText(within(element, '.viewers > span', HTMLElement), `${viewers}`);
    setText(within(element, '.viewers .hidden', HTMLElement), viewers === 1 ? ' viewer' : ' viewers');
    within(element, '.viewers', HTMLElement).title = `${viewers} watching`;
    const rec = within(element, '.rec', HTMLElement);
    rec.hidden = !recording && !replay;
    rec.title = recording ? 'A video is being recorded' : 'A replay is being recorded';
    setText(within(element, '.none span', HTMLElement), closed || 'No preview');
    element.classList.toggle('closed', closed !== '');
    for (const [selector, label] of [
      ['.watch button', `Watch ${name}`],
      ['.act button', `Take over ${name}`],
      ['.more', `More actions for ${name}`],
    ] as const) {
      within(element, selector, HTMLButtonElement).setAttribute('aria-label', label);
    }
    const image = within(element, 'img', HTMLImageElement);
    if (closed === '' && !card.hasThumbnail) thumbnails.add(entry.id, element, image);
    if (closed !== '' && card.hasThumbnail) {
      thumbnails.remove(element);
      image.hidden = true;
    }
    card.hasThumbnail = closed === '';
  };

  return {
    show({ shown, total }: PartialList<SessionEntry>) {
      // First, because a closing menu returns the focus to its card.
      menu.update(shown);
      const now = new Set(shown.map(({ id }) => id));
      for (const [id, { element }] of cards) {
        if (now.has(id)) continue;
        thumbnails.remove(element);
        removeKeepingFocus(element, part('sessions-title', HTMLElement));
        cards.delete(id);
      }
      for (const entry of shown) fill(cards.get(entry.id) ?? make(entry), entry);
      setText(part('session-count', HTMLElement), String(total));
      const more = part('more-sessions', HTMLElement);
      more.hidden = total <= shown.length;
      setText(more, `${total - shown.length} more not shown. See /sessions for the full list.`);
      applyFilter();
    },
    /** Updates the ages. @param now server time in epoch milliseconds */
    tick(now: number) {
      for (const { element, entry } of cards.values()) {
        const seconds = Math.max(0, Math.floor((now - entry.startedOn) / 1_000));
        setText(within(element, '.age', HTMLElement), formatDuration(seconds));
      }
    },
  };
}
