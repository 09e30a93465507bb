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
  }),
);
