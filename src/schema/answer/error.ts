// Declares the JSON form of an error.

import * as v from 'valibot';
import { type ErrorAnswer, errorCodes } from '../../errors.ts';
import { listOf, member, named } from './members.ts';

/** What `toResponse` writes. */
export const errorAnswer: v.GenericSchema<ErrorAnswer> = named(
  'Error',
  v.object({
    error: member(v.string(), 'What failed, why, and what to change.'),
    code: v.picklist(errorCodes),
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
