/**
 * Parses and validates the document of a request to BrowserQL or the management API: checks limits, picks the
 * operation and coerces its variables, so that all errors are found before a browser starts. Caches parsed documents,
 * because clients send the same text with different variables.
 */
import {
  type DocumentNode,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  validate,
  visit,
} from 'graphql';
import { truncate } from '../../../base/errors.ts';
import { documentLimits, reportLimits } from '../../../base/limits.ts';

/** The language of a document. */
export interface DocumentLanguage {
  schema: GraphQLSchema;
  /** Example of an operation for error messages, such as `mutation { … }`. */
  example: string;
  /** End of a sentence that says what to do instead of an operation of a kind that the schema lacks. */
  instead?: string;
}

export interface BqlRequest {
  query: string;
  variables?: Record<string, unknown> | undefined;
  operationName?: string | undefined;
}

export interface ReadyDocument {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  kind: 'query' | 'mutation' | 'subscription';
  variables: Record<string, unknown>;
  /** Names of the mutations that the document uses, at any depth. */
  steps: ReadonlySet<string>;
  /** Names of all fields that the document uses. */
  fields: ReadonlySet<string>;
}

/** The request cannot run: the server responds with 400 and these errors. */
export class DocumentError extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message ?? 'The document cannot be run.');
    this.errors = errors;
  }
}

/** An entry of `errors` for a document that cannot run. */
interface DocumentProblem {
  message: string;
  locations?: readonly { line: number; column: number }[];
  extensions: { code: string };
}

/** Builds the `errors` of a document that cannot run. */
export function toRequestErrors(errors: readonly GraphQLError[]): DocumentProblem[] {
  return errors.slice(0, documentLimits.errors).map(({ message, locations }) => ({
    // The message may quote a part of the document that is megabytes long.
    message: truncate(message, reportLimits.issueCharacters),
    ...(locations ? { locations: locations.slice(0, reportLimits.issues) } : {}),
    extensions: { code: 'BAD_DOCUMENT' },
  }));
}

/** @throws DocumentError */
export function prepareDocument(language: DocumentLanguage, request: BqlRequest): ReadyDocument {
  const { schema } = language;
  const document = parsedDocument(language, request.query);
  const operation = operationOf(document, request.operationName, language);
  const { variables = {} } = request;
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 20 });
  if (coerced.errors) throw new DocumentError(coerced.errors);
  return { document, operation, kind: operation.operation, variables, ...namesIn(document, operation) };
}

/** The arguments with which graphql-js runs a document. */
export function argumentsFor({ document, operation, variables }: ReadyDocument) {
  return { document, variableValues: variables, operationName: operation.name?.value };
}

/** Parsed documents by schema and text. */
const parsed = new WeakMap<GraphQLSchema, Map<string, DocumentNode>>();
const maxCachedDocuments = 200;
/** Longer documents are not cached: two hundred of this length are a few megabytes. */
const maxCachedCharacters = 20_000;

function parsedDocument(language: DocumentLanguage, query: string): DocumentNode {
  const { schema, example } = language;
  const ofSchema = parsed.get(schema) ?? new Map<string, DocumentNode>();
  parsed.set(schema, ofSchema);
  const known = ofSchema.get(query);
  if (known) return known;
  const document = parseLimited(query, example);
  checkSize(document);
  checkKinds(document, language);
  const errors = validate(schema, document, undefined, { maxErrors: documentLimits.errors });
  if (errors.length > 0) throw new DocumentError(errors.slice(0, documentLimits.errors));
  if (query.length <= maxCachedCharacters) {
    if (ofSchema.size >= maxCachedDocuments) ofSchema.delete(ofSchema.keys().next().value ?? '');
    ofSchema.set(query, document);
  }
  return document;
}

function parseLimited(query: string, example: string): DocumentNode {
  if (query.trim() === '') {
    throw refused(`The document is empty: "query" must contain an operation such as ${example}.`);
  }
  if (query.length > documentLimits.characters) {
    throw refused(
      `The document has ${query.length} characters; at most ${documentLimits.characters} are accepted. Pass long strings as variables.`,
    );
  }
  try {
    return parse(query, { maxTokens: documentLimits.tokens });
  } catch (error) {
    if (error instanceof GraphQLError) throw new DocumentError([error]);
    // The recursive parser can overflow the stack before it reaches the token limit.
    if (error instanceof RangeError) throw tooDeep();
    throw error;
  }
}

function tooDeep(): DocumentError {
  return refused(`The document is nested deeper than ${documentLimits.depth} levels.`);
}

function refused(message: string): DocumentError {
  return new DocumentError([new GraphQLError(message)]);
}

interface WalkState {
  /** True where fields are steps of a mutation. */
  isSteps: boolean;
  /** True under `__schema` and `__type`. */
  isIntrospection: boolean;
  /** Names of the enclosing fragments. */
  inside: ReadonlySet<string>;
}

/** Bounds the work of validation and execution; counts a fragment at each use. */
function checkSize(document: DocumentNode): void {
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  let fields = 0;
  let aliases = 0;
  let introspected = 0;
  const walk = (set: SelectionSetNode, depth: number, { isSteps, isIntrospection, inside }: WalkState): number => {
    if (depth > documentLimits.depth) throw tooDeep();
    let steps = 0;
    for (const node of set.selections) {
      if (++fields > documentLimits.fields) {
        throw refused(`The document selects more than ${documentLimits.fields} fields, including fragments.`);
      }
      if (node.kind === Kind.FIELD) {
        if (node.alias && ++aliases > documentLimits.aliases) {
          throw refused(
            `The document has more than ${documentLimits.aliases} aliases. Split it into several requests.`,
          );
        }
        const key = (node.alias ?? node.name).value;
        if (key.length > documentLimits.aliasCharacters) {
          throw refused(
            `The name "${truncate(key, reportLimits.pathCharacters)}" has ${key.length} characters; an alias may have at most ${documentLimits.aliasCharacters}.`,
          );
        }
        const introspects = isIntrospection || node.name.value === '__schema' || node.name.value === '__type';
        if (introspects && (introspected += key.length) > documentLimits.introspectionCharacters) {
          throw refused(
            `The names under __schema and __type have more than ${documentLimits.introspectionCharacters} characters, including fragments. Select fewer fields.`,
          );
        }
        if (isSteps) steps++;
        const branches = isSteps && (node.name.value === 'if' || node.name.value === 'ifnot');
        const below = { isSteps: branches, isIntrospection: introspects, inside };
        if (node.selectionSet) steps += walk(node.selectionSet, depth + 1, below);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        steps += walk(node.selectionSet, depth + 1, { isSteps, isIntrospection, inside });
      } else {
        const name = node.name.value;
        const fragment = fragments.get(name);
        // Validation reports unknown fragments and cycles.
        if (fragment && !inside.has(name)) {
          const below = { isSteps, isIntrospection, inside: new Set([...inside, name]) };
          steps += walk(fragment.selectionSet, depth + 1, below);
        }
      }
    }
    if (steps > documentLimits.steps) {
      throw refused(`The document has more than ${documentLimits.steps} steps. Split it into several requests.`);
    }
    return steps;
  };
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) {
      const isSteps = node.operation === OperationTypeNode.MUTATION;
      walk(node.selectionSet, 1, { isSteps, isIntrospection: false, inside: new Set() });
    }
  }
}

/** Refuses operations of a kind that the schema lacks; GraphQL's own message does not say what to do instead. */
function checkKinds({ definitions }: DocumentNode, { schema, instead }: DocumentLanguage): void {
  for (const node of definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION || schema.getRootType(node.operation) || instead === undefined)
      continue;
    throw refused(`This API has no ${node.operation}: ${instead}`);
  }
}

function operationOf(
  document: DocumentNode,
  name: string | undefined,
  { example }: DocumentLanguage,
): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (operation) return operation;
  const names = document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? [node.name?.value ?? '(unnamed)'] : [],
  );
  throw refused(
    names.length === 0
      ? `The document has no operation: write ${example}.`
      : name === undefined
        ? `The document has several operations (${names.join(', ')}): name one in "operationName".`
        : `The document has no operation "${name}"; it defines ${names.join(', ')}.`,
  );
}

function namesIn(document: DocumentNode, operation: OperationDefinitionNode): Pick<ReadyDocument, 'steps' | 'fields'> {
  const fields = new Set<string>();
  visit(document, { Field: (node) => void fields.add(node.name.value) });
  // All field names serve as step names: few names are both, and a false match only prepares more than needed.
  return { fields, steps: operation.operation === OperationTypeNode.MUTATION ? fields : new Set() };
}
