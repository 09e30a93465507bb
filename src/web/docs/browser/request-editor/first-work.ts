/** The work with which each kind of call begins, and what samples and routes put in its place. */
import { onDemoSite } from '../../samples/target.ts';
import type { Operation } from './operations.ts';
import { samples } from './samples.ts';
import type { Kind, Work } from './shared-address.ts';

export type Works = Readonly<Record<Kind, Work>>;

/** The route with which REST begins. */
const firstRoute = '/screenshot';

const exampleOf = ({ example }: Operation): string =>
  typeof example === 'object' && example !== null ? `${onDemoSite(JSON.stringify(example, null, 2))}\n` : '{}\n';

export const ofKind = (operations: readonly Operation[], kind: Kind): Operation[] =>
  operations.filter((operation) => operation.kind === kind);

/** The operation of a work. @throws Error when the server offers no call of this kind */
export function operationFor(operations: readonly Operation[], { kind, route }: Work): Operation {
  const all = ofKind(operations, kind);
  const found = all.find(({ path }) => path === route) ?? all[0];
  if (found === undefined) throw new Error('This server offers no such call.');
  return found;
}

/** A REST call with the document's own example. */
export const restWork = (operation: Operation): Work => ({
  kind: 'rest',
  route: operation.path,
  text: exampleOf(operation),
  variables: '',
  options: {},
});

function sampleWork(operations: readonly Operation[], kind: 'bql' | 'code'): Work {
  const { text, variables } = samples[kind][0];
  return { kind, route: ofKind(operations, kind)[0]?.path ?? '', text, variables, options: {} };
}

export function firstWorks(operations: readonly Operation[]): Works {
  const rest = ofKind(operations, 'rest');
  const operation = rest.find(({ path }) => path === firstRoute) ?? rest[0];
  if (operation === undefined) throw new Error('This server offers no REST call.');
  return {
    rest: restWork(operation),
    bql: sampleWork(operations, 'bql'),
    code: sampleWork(operations, 'code'),
  };
}
