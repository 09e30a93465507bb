/** The kinds of decisions that the table of the protocol makes, and functions that make them. */
import type { Params, RuleContext, Verdict } from './verdict.ts';

export type Judgement = (params: Params, context: RuleContext) => Verdict | Promise<Verdict>;

/**
 * - `checked`: passes unless its parameters are refused;
 * - `changed`: passes with other parameters;
 * - `answered`: the server answers it;
 * - `scoped`: the server answers it, for the client's own contexts and pages only;
 * - `refused`: answered with an error.
 */
type ExceptionKind = 'checked' | 'changed' | 'answered' | 'scoped' | 'refused';

/** A decision on a method that does not just pass. */
export interface Exception {
  readonly kind: ExceptionKind;
  /** One sentence for the documentation: what is done, or why it is refused. */
  readonly note: string;
  readonly judge: Judgement;
}

export const passes: Judgement = (params) => ({ pass: params });

export const checked = (judge: Judgement, note: string): Exception => ({ kind: 'checked', note, judge });

export const changed = (judge: Judgement, note: string): Exception => ({ kind: 'changed', note, judge });

export const answered = (answer: object, note: string): Exception => ({
  kind: 'answered',
  note,
  judge: () => ({ answer }),
});

/** Refuses the method; the client gets the note too. */
export const refused = (note: string): Exception => ({
  kind: 'refused',
  note,
  judge: () => ({ refuse: `This command is not available here. ${note}` }),
});

/** Refuses the method on sessions of pages; on that of the browser, the server answers it before the table is asked. */
export const scoped = (note: string): Exception => ({
  kind: 'scoped',
  note,
  judge: () => ({ refuse: 'Send this command on the session of the browser.' }),
});
