/** Implements a row of tabs (ARIA `tablist`): arrows, Home and End move the focus, which selects the tab. */

/** @param choose called with the id of the tab that the person has selected */
export function chooseAmong(row: HTMLElement, choose: (id: string) => void): void {
  const tabs = () => [...row.querySelectorAll('button')];
  const pick = (tab: HTMLButtonElement) => {
    if (tab.ariaSelected === 'true') return;
    for (const each of tabs()) {
      each.ariaSelected = String(each === tab);
      each.tabIndex = each === tab ? 0 : -1;
    }
    choose(tab.id);
  };
  row.addEventListener('click', ({ target }) => {
    const tab = target instanceof Element ? target.closest('button') : null;
    if (tab) pick(tab);
  });
  row.addEventListener('keydown', (event) => {
    const all = tabs();
    const at = all.findIndex((each) => each === event.target);
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
    const tab = next === undefined ? undefined : all.at(next % all.length);
    if (!tab) return;
    event.preventDefault();
    event.stopPropagation();
    tab.focus();
    pick(tab);
  });
}
