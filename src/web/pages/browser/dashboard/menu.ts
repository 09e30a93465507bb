/** Shows the menu of a session: one element for all sessions, which opens next to the clicked button. */
import type { SessionEntry } from '../../../../control/dashboard/protocol/state.ts';
import { button, part, setText, within } from '../dom/parts.ts';
import { ask, post } from './actions.ts';

export type Menu = ReturnType<typeof createMenu>;

const edge = 8;

/** @param addressOf returns the URL of an action on a session */
export function createMenu(addressOf: (id: string, action: string) => string) {
  const menu = part('menu', HTMLElement);
  const record = button('menu-record');
  let entry: SessionEntry | undefined;

  const fill = () => {
    if (!entry) return;
    for (const [id, action] of [
      ['menu-watch', 'watch'],
      ['menu-act', 'take-over'],
    ] as const) {
      const form = part(id, HTMLFormElement);
      form.action = addressOf(entry.id, action);
      form.hidden = entry.closed !== '';
    }
    record.hidden = !entry.mayRecord;
    setText(within(record, 'span', HTMLElement), entry.recording ? 'Stop recording' : 'Record');
  };
  for (const id of ['menu-watch', 'menu-act']) {
    part(id, HTMLFormElement).addEventListener('submit', () => menu.hidePopover());
  }
  record.addEventListener('click', () => {
    menu.hidePopover();
    if (entry) void post(addressOf(entry.id, entry.recording ? 'stop-recording' : 'record'));
  });
  button('menu-kill').addEventListener('click', () => {
    menu.hidePopover();
    if (entry) void kill(entry);
  });
  const kill = async ({ id, title, route }: SessionEntry) => {
    const isSure = await ask({
      title: 'Kill this session?',
      text: `${title || route}: its browser will be closed immediately, and its clients will be disconnected.`,
      yes: 'Kill',
    });
    if (isSure) await post(addressOf(id, 'kill'));
  };
  addEventListener('scroll', () => menu.hidePopover(), { passive: true });
  addEventListener('resize', () => menu.hidePopover());

  return {
    open(opened: SessionEntry, from: HTMLElement) {
      entry = opened;
      fill();
      menu.showPopover();
      const { right, bottom, top } = from.getBoundingClientRect();
      const { offsetWidth, offsetHeight } = menu;
      menu.style.left = `${Math.max(edge, right - offsetWidth)}px`;
      const isBelow = bottom + offsetHeight + edge < innerHeight;
      menu.style.top = `${isBelow ? bottom + 4 : Math.max(edge, top - offsetHeight - 4)}px`;
      [...menu.querySelectorAll('button')].find((each) => each.checkVisibility())?.focus();
    },
    /** Called with the current sessions: closes the menu of a session that has ended. */
    update(entries: readonly SessionEntry[]) {
      if (!entry) return;
      entry = entries.find(({ id }) => id === entry?.id);
      if (entry) fill();
      else menu.hidePopover();
    },
  };
}
