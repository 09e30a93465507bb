/** Defines the kinds of decisions in the protocol table, and the functions that create them. */
import type { Params, RuleContext, Verdict } from './verdict.ts';

export type Rule = (params: Params, context: RuleContext) => Verdict | Promise<Verdict>;

/**
 * - `checked`: passes unless its parameters are refused;
 * - `changed`: passes with changed parameters;
 * - `answered`: the server responds to it;
 * - `scoped`: the server responds to it, only for the client's own contexts and pages;
 * - `refused`: fails with an error.
 */
type ExceptionKind = 'checked' | 'changed' | 'answered' | 'scoped' | 'refused';

/** A decision on a method that does not simply pass. */
export interface Exception {
  readonly kind: ExceptionKind;
  /** One sentence for the documentation: what is done, or why it is refused. */
  readonly note: string;
  readonly judge: Rule;
}

export const passes: Rule = (params) => ({ pass: params });

export const checked = (judge: Rule, note: string): Exception => ({ kind: 'checked', note, judge });

export const changed = (judge: Rule, note: string): Exception => ({ kind: 'changed', note, judge });

export const answered = (answer: object, note: string): Exception => ({
  kind: 'answered',
  note,
  judge: () => ({ answer }),
});

/** Refuses the method; the error for the client includes the note. */
export const refused = (note: string): Exception => ({
  kind: 'refused',
  note,
  judge: () => ({ refuse: `This command is not available here. ${note}` }),
});

/** Refuses the method on page sessions; on the browser session, the server responds before the table is consulted. */
export const scoped = (note: string): Exception => ({
  kind: 'scoped',
  note,
  judge: () => ({ refuse: 'Send this command on the browser session.' }),
});
