// Declares the JSON form of an error.

import * as v from 'valibot';
import { type ErrorAnswer, type ErrorCode, errorTable } from '../../errors.ts';
import { listOf, member, named } from './members.ts';

const codes = Object.keys(errorTable).filter((code): code is ErrorCode => code in errorTable);

/** What `toResponse` writes. */
export const errorAnswer: v.GenericSchema<ErrorAnswer> = named(
  'Error',
  v.object({
    error: member(v.string(), 'What failed, why, and what to change.'),
    code: v.picklist(codes),
    issues: v.optional(
      member(
        listOf(
          v.object({
            path: member(v.string(), 'Dotted path of the field, empty for the whole body or query.'),
            message: v.string(),
          }),
        ),
        'Each thing that is wrong with the request.',
      ),
    ),
    limit: v.optional(member(v.number(), 'Of `quota`: calls that the token may run at the same time.')),
    running: v.optional(member(v.number(), 'Of `quota`: those that it runs.')),
    queued: v.optional(member(v.number(), 'Of `quota`: those that wait.')),
    reason: v.optional(v.literal('quota')),
    used: v.optional(member(v.number(), 'Of `units-exhausted`: units of this month.')),
    budget: v.optional(member(v.number(), 'Of `units-exhausted`: how many the token has.')),
    resetsAt: v.optional(member(v.string(), 'Of `units-exhausted`: when the next month begins.')),
  }),
);
