// Declares the JSON form of an error.

import * as v from 'valibot';
import { type ErrorBody, type ErrorCode, errorTable } from '../../errors.ts';
import { listOf, member, namedObject } from './members.ts';

const codes = Object.keys(errorTable).filter((code): code is ErrorCode => code in errorTable);

/** The JSON that `toResponse` writes. */
export const errorResponse: v.GenericSchema<ErrorBody> = namedObject('Error', {
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
      'All problems found in the request.',
    ),
  ),
  limit: v.optional(member(v.number(), 'For `quota`: requests that the token may run at the same time.')),
  running: v.optional(member(v.number(), 'For `quota`: requests that it is running.')),
  queued: v.optional(member(v.number(), 'For `quota`: requests that are waiting.')),
  reason: v.optional(v.literal('quota')),
  used: v.optional(member(v.number(), 'For `units-exhausted`: units used this month.')),
  budget: v.optional(member(v.number(), 'For `units-exhausted`: units that the token has per month.')),
  resetsAt: v.optional(member(v.string(), 'For `units-exhausted`: when the next month begins.')),
});
