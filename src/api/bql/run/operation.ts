/** Declares the type of a mutation's implementation; operations/table.ts has one per field of the Mutation type. */
import type { GraphQLResolveInfo } from 'graphql';
import type { Page } from '../../../browser/page/page.ts';
import type { PatternBudget } from '../../../base/runtime/regexp/untrusted-regexp.ts';
import type { BqlSession, Tab } from './session.ts';
import type { Step } from './step.ts';

/** Arguments of a mutation's `run`. */
export interface StepCall<Args> {
  args: Args;
  step: Step;
  session: BqlSession;
  /** The current page when the step starts. */
  tab: Tab;
  page: Page;
  info: GraphQLResolveInfo;
  /** Time budget of the document's regular expressions. */
  patterns: PatternBudget;
}

export interface Operation<Args = Record<string, unknown>> {
  /** True for a step that acts on the page and may navigate it: slowMo follows it, waitForNavigation refers to it. */
  acts?: boolean;
  /** True for a step that replaces the document: when it fails, the page may show nothing. */
  navigates?: boolean;
  /** True for a step whose `timeout` argument is not the time limit of the step. */
  ownTimeout?: boolean;
  run(call: StepCall<Args>): Promise<unknown>;
}

/**
 * Gives a mutation's arguments their types. graphql-js has validated them against the schema, and
 * `test/unit/bql-operations.test.ts` checks that the table and the schema have the same mutations.
 */
export function operation<Args>(given: Operation<Args>): Operation {
  // graphql-js passes arguments as an untyped record; schema.graphql declares their types.
  return given as unknown as Operation;
}

/** An argument that may be omitted or null. */
export type Maybe<T> = T | null | undefined;

/** Arguments of every step on an element. */
export interface ElementArgs {
  selector: string;
  scroll?: Maybe<boolean>;
  visible?: Maybe<boolean>;
  wait?: Maybe<boolean>;
}
