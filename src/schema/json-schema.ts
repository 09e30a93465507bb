// JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1) of what a client may send, from the valibot schemas.

import { toJsonSchema as convert } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { actionsOf, isSchema, itemsOf } from './introspect.ts';

/** The schema of the input. Checks that JSON Schema cannot say are left out; they are told in the descriptions. */
export function toJsonSchema(schema: GenericSchema): Record<string, unknown> {
  const { $schema: _, ...json } = convert(schema, {
    typeMode: 'input',
    errorMode: 'ignore',
    // The conversion of the input ends at the first transformation; the description comes after it.
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      // A list of places must have one: an empty tuple is a list that holds nothing.
      if (isSchema(valibotSchema) && valibotSchema.type === 'strict_tuple' && itemsOf(valibotSchema).length === 0) {
        return { type: 'array', maxItems: 0 };
      }
      const text = isSchema(valibotSchema) ? descriptionOf(valibotSchema) : undefined;
      return text === undefined || 'description' in jsonSchema ? undefined : { ...jsonSchema, description: text };
    },
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (valibotAction.type !== 'metadata' || !('secret' in jsonSchema)) return undefined;
      const { secret: _secret, ...rest } = jsonSchema;
      return { ...rest, format: 'password', writeOnly: true };
    },
  });
  return json;
}

function descriptionOf(schema: GenericSchema): string | undefined {
  const text = actionsOf(schema).findLast((action) => action['type'] === 'description')?.['description'];
  return typeof text === 'string' ? text : undefined;
}
