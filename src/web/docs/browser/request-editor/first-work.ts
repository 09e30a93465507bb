/** Provides the initial draft of each kind of request, and the drafts that routes and samples replace it with. */
import { onDemoSite } from '../../samples/target.ts';
import type { Operation } from './operations.ts';
import { samples } from './samples.ts';
import type { RequestKind, Draft } from './shared-address.ts';

export type Drafts = Readonly<Record<RequestKind, Draft>>;

/** The initial route for REST. */
const firstRoute = '/screenshot';

const exampleOf = ({ example }: Operation): string =>
  typeof example === 'object' && example !== null ? `${onDemoSite(JSON.stringify(example, null, 2))}\n` : '{}\n';

export const ofKind = (operations: readonly Operation[], kind: RequestKind): Operation[] =>
  operations.filter((operation) => operation.kind === kind);

/** Returns the operation for a draft. @throws Error when the server offers no operation of this kind */
export function operationFor(operations: readonly Operation[], { kind, route }: Draft): Operation {
  const all = ofKind(operations, kind);
  const found = all.find(({ path }) => path === route) ?? all[0];
  if (found === undefined) throw new Error('This server has no routes of this type.');
  return found;
}

/** Returns a REST request with the example of the OpenAPI document. */
export const restDraft = (operation: Operation): Draft => ({
  kind: 'rest',
  route: operation.path,
  text: exampleOf(operation),
  variables: '',
  options: {},
});

function sampleDraft(operations: readonly Operation[], kind: 'bql' | 'code'): Draft {
  const { text, variables } = samples[kind][0];
  return { kind, route: ofKind(operations, kind)[0]?.path ?? '', text, variables, options: {} };
}

export function initialDrafts(operations: readonly Operation[]): Drafts {
  const rest = ofKind(operations, 'rest');
  const operation = rest.find(({ path }) => path === firstRoute) ?? rest[0];
  if (operation === undefined) throw new Error('This server has no REST routes.');
  return {
    rest: restDraft(operation),
    bql: sampleDraft(operations, 'bql'),
    code: sampleDraft(operations, 'code'),
  };
}
