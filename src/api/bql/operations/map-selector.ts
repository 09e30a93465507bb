/** Implements mapSelector: reads the whole tree of rows that the document selects in one call per frame. */
import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { callOn, releaseHandles } from '../../../browser/page/act/elements.ts';
import { PageScriptError } from '../../../browser/page/evaluate.ts';
import { findLists } from '../find/find-elements.ts';
import { readRows, type RowPlan } from '../../../browser/injected/read-elements.ts';
import { type Maybe, operation } from '../run/operation.ts';
import { objectTypeOf } from '../language/schema.ts';
import { argumentsOf, type SelectedField, selectedFields } from '../language/selection.ts';
import { parseSelector, quoted } from '../find/selector.ts';
import { now } from '../../../base/runtime/machine.ts';
import { StepError } from '../run/step-error.ts';

export const mapSelector = operation<{ selector: string; wait?: Maybe<boolean> }>({
  async run({ args, step, page, info }) {
    const type = objectTypeOf(info.parentType, info.fieldName);
    if (!type) throw new Error('mapSelector has no row type');
    const { plan, waitMs } = planOf(info, type, { key: '', name: info.fieldName, nodes: info.fieldNodes });
    const until = now() + waitMs;
    return step.until(async () => {
      const lists = await findLists(step, args.selector, { wait: args.wait }).catch((error: unknown) => {
        // With `wait: false`, no match means null, not an error.
        if (error instanceof StepError && error.code === 'SELECTOR_NOT_FOUND' && args.wait === false) return [];
        throw error;
      });
      if (lists.length === 0) return null;
      try {
        const read = await Promise.all(lists.map((list) => callOn(page, list, readRows, plan)));
        if (read.some(({ missing }) => missing) && now() < until) return undefined;
        return read.flatMap(({ rows }) => rows);
      } catch (error) {
        if (!(error instanceof PageScriptError)) throw error;
        throw new StepError('INVALID_SELECTOR', `A selector inside mapSelector is not valid CSS: ${error.message}.`);
      } finally {
        releaseHandles(lists.map(({ frame }) => frame));
      }
    });
  },
});

/** Plans what to read in the page, and how long to wait for nested rows, in milliseconds. */
function planOf(
  info: GraphQLResolveInfo,
  type: GraphQLObjectType,
  field: SelectedField,
): { plan: RowPlan; waitMs: number } {
  const plan: RowPlan = { fields: [], attributes: [], rows: [] };
  let waitMs = 0;
  for (const selected of selectedFields(info, field.nodes)) {
    const { key, name } = selected;
    if (name === 'innerHTML' || name === 'innerText' || name === 'id' || name === 'class') {
      plan.fields.push({ key, name });
    } else if (name === 'attribute') {
      const attributeName = argumentsOf(info, type, selected)['name'];
      plan.attributes.push({ key, name: typeof attributeName === 'string' ? attributeName : '' });
    } else if (name === 'mapSelector') {
      const { selector: text = '', timeout, wait } = argumentsOf(info, type, selected);
      const selector = parseSelector(String(text));
      if (selector.kind === 'script' || (selector.kind === 'deep' && selector.frames !== undefined)) {
        throw new StepError(
          'INVALID_SELECTOR',
          `${quoted(String(text))} inside mapSelector must be CSS, or "< css" for shadow roots, because it searches within one element.`,
        );
      }
      const nested = planOf(info, type, selected);
      const waits = wait !== false && typeof timeout === 'number' && timeout > 0;
      plan.rows.push({ key, selector: selector.css, deep: selector.kind === 'deep', waits, plan: nested.plan });
      waitMs = Math.max(waitMs, nested.waitMs, waits ? timeout : 0);
    }
  }
  return { plan, waitMs };
}
