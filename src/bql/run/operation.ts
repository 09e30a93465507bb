/** What a mutation is: a value. The table in operations.ts has one for each field of the schema's Mutation type. */
import type { GraphQLResolveInfo } from 'graphql';
import type { Page } from '../../page/page.ts';
import type { PatternBudget } from '../../runtime/regexp/untrusted-regexp.ts';
import type { BqlSession, Tab } from './session.ts';
import type { Step } from './step.ts';

/** What a mutation's code gets. */
export interface StepCall<Args> {
  args: Args;
  step: Step;
  session: BqlSession;
  /** The page that is current when the step begins. */
  tab: Tab;
  page: Page;
  info: GraphQLResolveInfo;
  /** What the regular expressions of the document may cost. */
  patterns: PatternBudget;
}

export interface Operation<Args = Record<string, unknown>> {
  /** True for what a person does: humanlike pauses and slowMo follow it. */
  acts?: boolean;
  /** True for a step whose `timeout` is not the limit of its work. */
  ownTimeout?: boolean;
  run(call: StepCall<Args>): Promise<unknown>;
}

/**
 * Lets a mutation's code name the arguments that it takes. The schema has checked them: a wrong document does not get
 * this far, and `test/unit/bql-operations.test.ts` holds that the table and the schema name the same mutations.
 */
export function operation<Args>(given: Operation<Args>): Operation {
  // Arguments come from graphql-js as a record without types; their types are those of schema.graphql.
  return given as unknown as Operation;
}

/** An argument that may be left out or null. */
export type Maybe<T> = T | null | undefined;

/** What every step on an element takes. */
export interface ElementArgs {
  selector: string;
  scroll?: Maybe<boolean>;
  visible?: Maybe<boolean>;
  wait?: Maybe<boolean>;
}
