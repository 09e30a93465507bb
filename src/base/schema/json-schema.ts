// Converts valibot schemas to JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1) that describes what a client may
// send.

import { toJsonSchema as convert } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { descriptionOf, isSchema } from './introspect.ts';

/** Returns the schema of the input. Checks that JSON Schema cannot express are omitted; the descriptions state them. */
export function toJsonSchema(schema: GenericSchema): Record<string, unknown> {
  const { $schema: _, ...json } = convert(schema, {
    typeMode: 'input',
    errorMode: 'ignore',
    // The conversion of the input stops at the first transformation, before the description: add it here.
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
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
