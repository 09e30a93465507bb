/** Opens and closes the navbar's dropdowns and the drawer in narrow windows. */
import { isSoft } from './navigate.ts';
import { all } from './page-context.ts';

const narrow = matchMedia('(max-width: 996px)');

export function startMenus(): void {
  for (const dropdown of all('.dropdown')) startDropdown(dropdown);
  startDrawer();
}

function startDropdown(dropdown: HTMLElement): void {
  const button = dropdown.querySelector('button');
  if (button === null) return;
  const links = () => all<HTMLAnchorElement>('a', dropdown);
  const set = (open: boolean) => {
    dropdown.classList.toggle('open', open);
    button.setAttribute('aria-expanded', String(open));
  };
  const isOpen = () => dropdown.classList.contains('open');
  dropdown.addEventListener('pointerenter', (event) => event.pointerType === 'mouse' && set(true));
  dropdown.addEventListener('pointerleave', (event) => event.pointerType === 'mouse' && set(false));
  button.addEventListener('click', (event) => {
    // Hovering with a mouse has already opened the menu, so a mouse click must not close it.
    set(event.detail === 0 || !('pointerType' in event && event.pointerType === 'mouse') ? !isOpen() : true);
  });
  dropdown.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && dropdown.contains(relatedTarget))) set(false);
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Node && dropdown.contains(target))) set(false);
  });
  dropdown.addEventListener('keydown', (event) => {
    const list = links();
    const at = list.findIndex((link) => link === document.activeElement);
    if (event.key === 'Escape' && isOpen()) {
      set(false);
      button.focus();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      set(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      list[(at + step + list.length + (at === -1 && step === -1 ? 1 : 0)) % list.length]?.focus();
    }
  });
  document.addEventListener('docs:navigated', () => set(false));
}

function startDrawer(): void {
  const drawer = document.querySelector<HTMLElement>('#docs-drawer');
  const backdrop = document.querySelector<HTMLElement>('#docs-backdrop');
  const toggle = document.querySelector<HTMLElement>('[data-drawer-open]');
  const tree = document.querySelector<HTMLElement>('[data-drawer-sidebar]');
  const sidebar = document.querySelector<HTMLElement>('#docs-sidebar');
  if (drawer === null || backdrop === null || toggle === null || tree === null || sidebar === null) return;
  const panel = (name: string) => {
    for (const each of all('.drawer-panel', drawer)) {
      const shown = each.dataset['panelName'] === name;
      each.hidden = !shown;
      each.inert = !shown;
    }
  };
  const set = (open: boolean) => {
    drawer.hidden = backdrop.hidden = !open;
    toggle.setAttribute('aria-expanded', String(open));
    document.body.classList.toggle('locked', open);
    for (const element of all('.navbar, .frame, .footer')) element.inert = open;
  };
  let pushed = false;
  const show = () => {
    tree.replaceChildren(...[...sidebar.children].map((child) => child.cloneNode(true)));
    panel(sidebar.hidden ? 'main' : 'docs');
    set(true);
    // With this history entry, the browser's back button closes the drawer and stays on the page.
    history.pushState({ ...history.state, drawer: true }, '');
    pushed = true;
    drawer.querySelector<HTMLElement>('[data-drawer-close]')?.focus();
  };
  const hide = () => {
    if (drawer.hidden) return;
    set(false);
    toggle.focus();
  };
  const close = () => {
    if (drawer.hidden) return;
    hide();
    if (pushed) history.back();
    pushed = false;
  };
  toggle.addEventListener('click', show);
  backdrop.addEventListener('click', close);
  drawer.querySelector('[data-drawer-close]')?.addEventListener('click', close);
  drawer.querySelector('[data-main-menu]')?.addEventListener('click', () => panel('main'));
  drawer.addEventListener('keydown', (event) => event.key === 'Escape' && close());
  // A link that loads a document replaces the drawer's history entry, as a soft navigation does.
  drawer.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || isSoft(link) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.hash !== '' && link.pathname === location.pathname) close();
    else location.replace(link.href);
  });
  const left = () => {
    pushed = false;
    hide();
  };
  addEventListener('popstate', left);
  document.addEventListener('docs:navigated', left);
  narrow.addEventListener('change', () => !narrow.matches && close());
}
