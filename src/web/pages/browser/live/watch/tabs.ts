/** Shows the tabs and the URL of the watched browser, and sends the viewer's navigation commands. */
import { liveLimits } from '../../../../../base/limits.ts';
import type { ServerMessage } from '../../../../../sessions/live/protocol/messages.ts';
import type { Send } from './connection.ts';
import { button, cloneTemplate, part, setText, within } from '../../dom/parts.ts';

type PageMessage = Extract<ServerMessage, { t: 'page' }>;
type TabsMessage = Extract<ServerMessage, { t: 'tabs' }>;

/** Converts typed text to a URL; without a scheme, https is assumed. */
function addressOf(typed: string): string {
  const text = typed.trim();
  const whole = /^([a-z][\w+.-]*:\/\/|about:|data:|blob:)/i.test(text) ? text : `https://${text}`;
  return whole.slice(0, liveLimits.addressCharacters);
}

export function createTabs(send: Send, focus: () => void) {
  const strip = part('tabs', HTMLElement);
  const list = part('tab-list', HTMLElement);
  const address = part('address', HTMLInputElement);
  const rows = new Map<string, HTMLElement>();
  let isUsable = false;
  let url = '';

  part('address-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    if (!isUsable || address.value.trim() === '') return;
    send({ t: 'go', url: addressOf(address.value) });
    focus();
  });
  address.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    address.value = url;
    focus();
  });
  address.addEventListener('focus', () => address.select());
  for (const t of ['back', 'forward', 'reload'] as const) button(t).addEventListener('click', () => send({ t }));
  button('new-tab').addEventListener('click', () => send({ t: 'newTab' }));

  const rowOf = (id: string) => {
    const row = cloneTemplate('tab');
    within(row, '.tab', HTMLButtonElement).addEventListener('click', () => send({ t: 'tab', id }));
    within(row, '.icon', HTMLButtonElement).addEventListener('click', () => send({ t: 'closeTab', id }));
    row.addEventListener('auxclick', (event) => {
      event.preventDefault();
      if (isUsable && event.button === 1) send({ t: 'closeTab', id });
    });
    rows.set(id, row);
    return row;
  };

  return {
    /** @param hasBar whether the tabs and the address bar are shown @param mayAct whether they can be used */
    start(hasBar: boolean, mayAct: boolean) {
      isUsable = mayAct;
      strip.hidden = !hasBar;
      part('nav', HTMLElement).hidden = !hasBar;
      part('page-title', HTMLElement).classList.toggle('hidden', hasBar);
      address.readOnly = !mayAct;
      for (const id of ['back', 'forward', 'reload', 'new-tab']) button(id).hidden = !mayAct;
    },
    page({ url: now, title, loading, canBack, canForward }: PageMessage) {
      url = now;
      const name = title || now || 'Live view';
      document.title = `${name} · live view`;
      setText(part('page-title', HTMLElement), name);
      if (document.activeElement !== address) address.value = now;
      button('back').disabled = !canBack;
      button('forward').disabled = !canForward;
      document.body.classList.toggle('secure', now.startsWith('https:'));
      document.body.classList.toggle('loading', loading);
    },
    tabs({ tabs, active }: TabsMessage) {
      for (const [id, row] of rows) {
        if (tabs.some((tab) => tab.id === id)) continue;
        row.remove();
        rows.delete(id);
      }
      for (const { id, title, url: at } of tabs) {
        const row = rows.get(id) ?? rowOf(id);
        const tab = within(row, '.tab', HTMLButtonElement);
        const name = title || at || 'New tab';
        setText(within(tab, 'span', HTMLElement), name);
        tab.title = name;
        tab.disabled = !isUsable;
        if (id === active) tab.setAttribute('aria-current', 'true');
        else tab.removeAttribute('aria-current');
        const close = within(row, '.icon', HTMLButtonElement);
        close.setAttribute('aria-label', `Close ${name}`);
        close.hidden = !isUsable || tabs.length === 1;
        if (row.parentElement === null) list.append(row);
      }
    },
  };
}
