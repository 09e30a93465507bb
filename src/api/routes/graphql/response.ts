/** Executes documents of POST /graphql. The route loads this module, and graphql-js, with the first document. */
import {
  type DocumentNode,
  execute,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLError,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  isLeafType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { InferOutput } from 'valibot';
import {
  argumentsFor,
  type BqlRequest,
  DocumentError,
  type DocumentLanguage,
  prepareDocument,
  type ReadyDocument,
  toRequestErrors,
} from '../../bql/language/document.ts';
import { toServiceError } from '../../../base/errors.ts';
import { graphqlLimits } from '../../../base/limits.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { shapeOf } from '../../../base/schema/response/responses.ts';
import type { graphqlResponse } from '../../../base/schema/response/bql.ts';
import { schemaAt } from '../../../base/schema/introspect.ts';
import type { Call } from '../pipeline/call.ts';
import { outputType } from './response-types.ts';
import { type RootField, rootFields } from './root-fields.ts';

interface DocumentAnswer {
  answer: InferOutput<typeof graphqlResponse>;
  status: number;
}

/** The state that the fields of one document share. */
interface Reading {
  call: Call;
  budget: AnswerBudget;
  /** Data already read for the document, by field and arguments: aliases reuse it. */
  known: Map<string, Promise<unknown>>;
}

const language: DocumentLanguage = {
  schema: new GraphQLSchema({
    query: new GraphQLObjectType<unknown, Reading>({
      name: 'Query',
      description: 'The state of this server.',
      fields: Object.fromEntries(Object.entries(rootFields).map(([name, field]) => [name, configOf(name, field)])),
    }),
  }),
  example: '{ pressure { isAvailable } }',
  instead: 'it is read-only, so send a query. Documents that drive a browser go to POST /chromium/bql.',
};

function configOf(name: string, field: RootField): GraphQLFieldConfig<unknown, Reading> {
  const { route, type, member, args = {} } = field;
  const answered = route.answers.map(shapeOf).find(({ schema }) => schema !== undefined)?.schema;
  const schema = answered && schemaAt(answered, member === undefined ? [] : [member]);
  if (!schema) throw new Error(`${route.path} has no schema for ${name}`);
  return {
    type: outputType(schema, type),
    description: `${route.summary}: the response of ${route.method} ${route.path}.`,
    args,
    async resolve(_root, given, { call, budget, known }, info) {
      call.requireRoute(route.method, route.path);
      if (route.auth === 'operator') call.account.requireOperator();
      const { pick } = field;
      const key = pick ? name : `${name} ${JSON.stringify(given)}`;
      const reading = known.get(key) ?? Promise.resolve(field.read(call, given));
      known.set(key, reading);
      const whole = await orAborted(reading, call.signal);
      const value = pick ? pick(whole, given) : whole;
      budget.take(weightOfField(info) * (Array.isArray(value) ? value.length : 1));
      return budget.spent ? null : value;
    },
  };
}

function weightOfField({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  return fieldNodes.reduce((sum, { selectionSet }) => sum + (selectionSet ? weightOf(selectionSet, fragments) : 0), 0);
}

/** Reads a field of an object. Fields are nullable: once the budget is spent, they resolve to null. */
const fieldResolver: GraphQLFieldResolver<unknown, Reading> = (
  source,
  _args,
  { budget },
  { fieldName, returnType },
) => {
  const value: unknown = Reflect.get(Object(source), fieldName);
  budget.take(sizeOf(value, isLeafType(getNamedType(returnType))));
  return budget.spent ? null : value;
};

/** Executes a document; the status is 400 for a document that cannot run, or that requests too much. */
export async function answerDocument(call: Call, request: BqlRequest): Promise<DocumentAnswer> {
  let ready: ReadyDocument;
  try {
    ready = prepareDocument(language, request);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { answer: { errors: toRequestErrors(error.errors) }, status: 400 };
  }
  const { document, operation } = ready;
  const budget = new AnswerBudget();
  if (introspection.some((name) => ready.fields.has(name))) {
    budget.take(weightOf(operation.selectionSet, fragmentsOf(document)) * graphqlLimits.introspectedEntries);
    if (budget.spent) return tooLarge;
  }
  const { data, errors = [] } = await execute({
    ...language,
    ...argumentsFor(ready),
    contextValue: { call, budget, known: new Map() } satisfies Reading,
    fieldResolver,
  });
  if (budget.spent) return tooLarge;
  const reportedErrors = errors.map((error) => toReportedError(error, call));
  return {
    answer: {
      ...(data === undefined ? {} : { data }),
      ...(reportedErrors.length > 0 ? { errors: reportedErrors } : {}),
    },
    status: 200,
  };
}

const introspection = ['__schema', '__type'];

const fragmentsOf = ({ definitions }: DocumentNode) =>
  Object.fromEntries(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  );

const tooLarge: DocumentAnswer = {
  answer: {
    errors: [
      {
        message: `The response would exceed ${graphqlLimits.answerCharacters} characters. Request fewer fields and aliases, or fewer periods with "last".`,
        extensions: { code: 'ANSWER_TOO_LARGE' },
      },
    ],
  },
  status: 400,
};

/** The error of a field, with the code that the REST route uses for it, in the spelling of BrowserQL codes. */
function toReportedError({ path, locations, originalError, message }: GraphQLError, { services }: Call) {
  const failure = toServiceError(originalError ?? new Error(message));
  if (failure.code === 'internal') {
    services.log.error('graphql.field-failed', { path: path?.join('.'), cause: failure.cause });
  }
  return {
    message: failure.message,
    ...(locations ? { locations } : {}),
    ...(path ? { path } : {}),
    extensions: { code: failure.code.toUpperCase().replaceAll('-', '_') },
  };
}

/** Limits a response while it is built: aliases and lists can multiply what a short document requests. */
class AnswerBudget {
  #remaining: number = graphqlLimits.answerCharacters;

  /** True once the response would be larger than allowed. */
  get spent(): boolean {
    return this.#remaining < 0;
  }

  /** @param characters number of characters added to the response */
  take(characters: number): void {
    this.#remaining -= characters;
  }
}

/**
 * Approximate size of a value in characters.
 * @param isLeaf true if it is sent as is, false if the document selects from it
 */
function sizeOf(value: unknown, isLeaf: boolean): number {
  if (typeof value === 'string') return value.length;
  if (!isLeaf || typeof value !== 'object' || value === null) return 0;
  return JSON.stringify(value).length;
}

/** Characters that a selection adds to each object it selects from: its names, and at least its values. */
function weightOf(
  { selections }: SelectionSetNode,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
): number {
  let weight = 0;
  for (const node of selections) {
    const set = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value]?.selectionSet : node.selectionSet;
    if (node.kind === Kind.FIELD) weight += (node.alias ?? node.name).value.length + graphqlLimits.valueCharacters;
    if (set) weight += weightOf(set, fragments);
  }
  return weight;
}
