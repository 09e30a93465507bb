/** Reads the markup, text, attributes and boxes of elements. */
import { isVisible, queryAll, queryDeep, textOf } from './dom.ts';

/** Reads all elements that each selector matches: markup, text, attributes and box; null for an invalid selector. */
export function readElements(selectors: string[]): (Scraped[] | null)[] {
  const read = (element: Element): Scraped => {
    const box = element.getBoundingClientRect();
    return {
      attributes: [...element.attributes].map(({ name, value }) => ({ name, value })),
      height: box.height,
      html: element.innerHTML,
      left: box.x,
      text: textOf(element),
      top: box.y,
      width: box.width,
    };
  };
  return selectors.map((selector) => {
    try {
      return queryAll(selector).map(read);
    } catch {
      return null;
    }
  });
}

export interface Scraped {
  attributes: { name: string; value: string }[];
  height: number;
  html: string;
  left: number;
  text: string;
  top: number;
  width: number;
}

/** Reads the properties that BrowserQL's querySelector returns for each element. */
export function describeElements(elements: Element[], visible: boolean) {
  return elements
    .filter((element) => !visible || isVisible(element))
    .map((element) => ({
      childElementCount: element.childElementCount,
      className: element.getAttribute('class') ?? '',
      id: element.id,
      innerHTML: element.innerHTML,
      innerText: textOf(element),
      localName: element.localName,
      outerHTML: element.outerHTML,
    }));
}

/** Markup of an element. */
export function markupOf(element: Element): string {
  return element.outerHTML;
}

/** What to read from each mapSelector row, keyed by response field. */
export interface RowPlan {
  fields: { key: string; name: 'innerHTML' | 'innerText' | 'id' | 'class' }[];
  attributes: { key: string; name: string }[];
  rows: { key: string; selector: string; deep: boolean; waits: boolean; plan: RowPlan }[];
}

/**
 * Reads the rows of mapSelector with every field that the BrowserQL document selects. `missing` is true when a nested
 * selector with a wait matched nothing in any row.
 */
export function readRows(elements: Element[], wanted: RowPlan): { rows: unknown[]; missing: boolean } {
  let missing = false;
  const read = (list: Element[], plan: RowPlan): Record<string, unknown>[] => {
    const rows = list.map((element) => {
      const row: Record<string, unknown> = {};
      for (const { key, name } of plan.fields) {
        if (name === 'id') row[key] = element.id;
        else if (name === 'class') row[key] = [...element.classList];
        else if (name === 'innerHTML') row[key] = element.innerHTML;
        else row[key] = textOf(element);
      }
      for (const { key, name } of plan.attributes) {
        const value = element.getAttribute(name);
        row[key] = value === null ? null : { name, value };
      }
      return row;
    });
    for (const nested of plan.rows) {
      let any = false;
      for (const [index, element] of list.entries()) {
        const inside = nested.deep
          ? queryDeep(element, nested.selector)
          : [...element.querySelectorAll(nested.selector)];
        any ||= inside.length > 0;
        const row = rows[index];
        if (row) row[nested.key] = inside.length === 0 ? null : read(inside, nested.plan);
      }
      if (!any && nested.waits) missing = true;
    }
    return rows;
  };
  return { rows: read(elements, wanted), missing };
}
