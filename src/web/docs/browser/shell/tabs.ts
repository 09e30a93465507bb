/** Switches tabs. A choice applies to every block of its group, also on later pages and visits. */
import { isJson, parseJson } from '../../site/json.ts';
import { all } from './page-context.ts';
import { keys, recall, remember } from './store.ts';

const root = document.documentElement;

function choose(group: string, tab: string, clicked?: HTMLElement): void {
  const before = clicked?.getBoundingClientRect().top;
  root.setAttribute(`data-tab-${group}`, tab);
  const stored = parseJson(recall(keys.tabs));
  remember(keys.tabs, JSON.stringify({ ...(isJson(stored) ? stored : {}), [group]: tab }));
  for (const block of all(`.tabs[data-group="${group}"]`)) mark(block);
  // Blocks above the click may change their height: scroll so that the clicked tab stays where it was.
  if (clicked !== undefined && before !== undefined) scrollBy(0, clicked.getBoundingClientRect().top - before);
}

/** Sets the attributes by which the style sheet chooses the tab to show. */
function mark(block: HTMLElement): void {
  const has = (block.dataset['has'] ?? '').split(' ');
  const wanted = root.getAttribute(`data-tab-${block.dataset['group']}`) ?? '';
  const current = has.includes(wanted) ? wanted : has[0];
  for (const tab of all('[role=tab]', block)) {
    if (tab.closest('.tabs') !== block) continue;
    const selected = tab.dataset['tab'] === current;
    tab.setAttribute('aria-selected', String(selected));
    tab.tabIndex = selected ? 0 : -1;
  }
  for (const panel of all('[role=tabpanel]', block)) {
    if (panel.closest('.tabs') === block) panel.classList.toggle('chosen', panel.dataset['panel'] === current);
  }
  block.classList.add('ready');
}

export function markTabs(within: ParentNode = document): void {
  for (const block of all('.tabs', within)) mark(block);
}

export function startTabs(): void {
  document.addEventListener('click', (event) => {
    const tab = event.target instanceof Element ? event.target.closest<HTMLElement>('[role=tab]') : null;
    const group = tab?.closest<HTMLElement>('.tabs')?.dataset['group'];
    if (tab !== null && group !== undefined) choose(group, tab.dataset['tab'] ?? '', tab);
  });
  document.addEventListener('keydown', (event) => {
    const tab = event.target instanceof HTMLElement && event.target.matches('[role=tab]') ? event.target : undefined;
    const siblings = tab === undefined ? [] : all('[role=tab]', tab.parentElement ?? document);
    if (tab === undefined) return;
    const at = siblings.indexOf(tab);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: siblings.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    siblings[(to + siblings.length) % siblings.length]?.focus();
  });
  markTabs();
}
