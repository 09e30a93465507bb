/** Finds the features that a request asks for, based on the feature table. */
import { type Feature, featureNames, features } from './features.ts';

/** True for a value that requests something: not one that is omitted or turns the feature off. */
function asks(value: unknown): boolean {
  const isEmpty = Array.isArray(value) && value.length === 0;
  return value !== undefined && value !== null && value !== false && value !== 0 && !isEmpty;
}

/** @param route the path as mounted, without the browser prefix */
export function featuresOfRoute(method: string, route: string): Feature[] {
  return featuresWith(({ routes = [] }) => routes.some((each) => each === route || each === `${method} ${route}`));
}

/** @param given the query parameters, or fields of `launch`, that have an effect on the request */
export function featuresOfParameters(
  kind: 'parameters' | 'launch',
  given: Readonly<Record<string, unknown>>,
): Feature[] {
  return featuresWith((row) => (row[kind] ?? []).some((name) => asks(given[name])));
}

/** @param args the `args` launch option */
export function featuresOfSwitches(args: readonly string[]): Feature[] {
  const asked = new Set(args.map((arg) => arg.replace(/^-+/, '').replace(/=.*$/s, '')));
  return featuresWith(({ switches = [] }) => switches.some((name) => asked.has(name)));
}

/** @param body the body of `POST /session` */
export function featuresOfSession(body: Readonly<Record<string, unknown>>): Feature[] {
  return featuresWith(({ sessionFields = [] }) => sessionFields.some((field) => asksFor(body, field)));
}

/** @param command a command that a CDP client sends */
export function featureOfCommand(command: string): Feature | undefined {
  return featuresWith(({ commands = [] }) => commands.includes(command))[0];
}

/** @param args arguments of the mutation: some have a separate feature, such as `proxy.city` */
export function featuresOfMutation(name: string, args: Readonly<Record<string, unknown>>): Feature[] {
  return featuresWith(({ mutations = [] }) =>
    mutations.some((each) => {
      const [, mutation, mark, argument = ''] = /^(\w+)(?:([.!])(\w+))?$/.exec(each) ?? [];
      return mutation === name && (mark === undefined || asks(args[argument]) === (mark === '.'));
    }),
  );
}

/** @param event an event that CDP clients receive without subscribing */
export function featureOfEvent(event: string): Feature | undefined {
  return featuresWith(({ events = [] }) => events.includes(event))[0];
}

function featuresWith(fits: (row: (typeof features)[Feature]) => boolean): Feature[] {
  return featureNames.filter((name) => fits(features[name]));
}

/** @param field `a`, `a.b`, or `a=value` */
function asksFor(body: Readonly<Record<string, unknown>>, field: string): boolean {
  const [path = '', value] = field.split('=');
  const [name = '', inner] = path.split('.');
  const outer = body[name];
  if (value !== undefined) return outer === value;
  if (inner === undefined) return asks(outer);
  return typeof outer === 'object' && outer !== null && asks(Reflect.get(outer, inner));
}
