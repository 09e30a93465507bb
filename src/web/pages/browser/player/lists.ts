/** Shows the lists next to the stage: events, console and requests. A click on a row seeks to its moment. */
import { playerLimits } from '../../../../base/limits.ts';
import { button, cloneTemplate, part, within } from '../dom/parts.ts';
import type { TimelineEvent, ListName } from './timeline-events.ts';
import { chooseAmong } from './tab-row.ts';
import { clock } from './words.ts';

interface List {
  panel: HTMLElement;
  rows: HTMLElement;
  entries: { at: number; row: HTMLElement }[];
  count: number;
  lit: HTMLElement | undefined;
}

const names: readonly ListName[] = ['events', 'console', 'network'];

export function createLists(seek: (ms: number) => void) {
  const lists = new Map(names.map((name) => [name, listOf(name)]));
  chooseAmong(part('list-tabs', HTMLElement), (chosen) => {
    for (const name of names) part(name, HTMLElement).hidden = chosen !== `show-${name}`;
  });

  function put(name: ListName, { at, kind, text }: TimelineEvent): void {
    const list = lists.get(name);
    if (!list) return;
    list.count++;
    if (name !== 'events') within(button(`show-${name}`), '.count', HTMLElement).textContent = String(list.count);
    if (list.entries.length >= playerLimits.rows) {
      const more = within(list.panel, '.more', HTMLElement);
      more.textContent = `${list.count - list.entries.length} more are not shown.`;
      more.hidden = false;
      return;
    }
    const row = cloneTemplate(`row-${kind}`);
    within(row, '.at', HTMLElement).textContent = clock(at);
    const words = within(row, '.text', HTMLElement);
    words.textContent = text;
    words.title = text;
    const press = within(row, 'button', HTMLButtonElement);
    press.addEventListener('click', () => seek(at));
    list.entries.push({ at, row: press });
    list.rows.append(row);
    within(list.panel, '.none', HTMLElement).hidden = true;
  }

  return {
    add(happening: TimelineEvent) {
      for (const name of happening.lists) put(name, happening);
    },
    /** Highlights the last entry before this moment. */
    setTime(ms: number) {
      for (const list of lists.values()) light(list, ms);
    },
    /** Sets the text of an empty list. */
    setEmpty(text: string) {
      for (const { panel } of lists.values()) within(panel, '.none', HTMLElement).textContent = text;
    },
    clear() {
      for (const [name, { panel, rows }] of lists) {
        rows.replaceChildren();
        within(panel, '.none', HTMLElement).hidden = false;
        within(panel, '.more', HTMLElement).hidden = true;
        if (name !== 'events') within(button(`show-${name}`), '.count', HTMLElement).textContent = '';
        lists.set(name, listOf(name));
      }
    },
  };
}

function listOf(name: ListName): List {
  const panel = part(name, HTMLElement);
  const rows = within(panel, 'ol', HTMLElement);
  return { panel, rows, entries: [], count: 0, lit: undefined };
}

function light(list: List, ms: number): void {
  // Half a frame of tolerance: seeking does not hit a moment exactly.
  const row = list.entries.findLast(({ at }) => at <= ms + 8)?.row;
  if (row === list.lit) return;
  list.lit?.removeAttribute('aria-current');
  list.lit = row;
  if (!row) return;
  row.setAttribute('aria-current', 'true');
  const { panel } = list;
  if (panel.hidden || panel.contains(document.activeElement)) return;
  // Only the list scrolls, never the page around it.
  const place = row.getBoundingClientRect();
  const room = panel.getBoundingClientRect();
  if (place.top < room.top) panel.scrollTop -= room.top - place.top;
  else if (place.bottom > room.bottom) panel.scrollTop += place.bottom - room.bottom;
}
