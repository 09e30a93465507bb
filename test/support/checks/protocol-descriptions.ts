/**
 * Reads the installed descriptions of the Chrome DevTools Protocol: that of devtools-protocol, for the newest Chromium,
 * and that of chrome-remote-interface, which the server publishes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { protocolDescriptor } from '../../../src/browser/cdp/protocol.ts';
import { isRecord } from '../../../src/base/schema/record.ts';

const json = join(import.meta.dirname, '..', '..', '..', 'node_modules', 'devtools-protocol', 'json');
const readJson = (name: string): unknown => JSON.parse(readFileSync(join(json, name), 'utf8'));

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

const descriptions = [
  readJson('browser_protocol.json'),
  readJson('js_protocol.json'),
  await protocolDescriptor(),
].flatMap((description) => (isRecord(description) ? list(description['domains']) : []));

const namesOf = (member: 'commands' | 'events'): ReadonlySet<string> =>
  new Set(
    descriptions.flatMap((domain) =>
      list(domain[member]).map(({ name }) => `${String(domain['domain'])}.${String(name)}`),
    ),
  );

/** The type of a parameter or of a parameter's property. */
export interface Described {
  name: string;
  type?: string;
  /** The name of a type, `Domain.name`. */
  ref?: string;
  values?: readonly string[];
  members: readonly Described[];
  item?: Described;
}

function toDescribed(domain: string, value: Record<string, unknown>): Described {
  const { name, id, type, $ref, enum: values, properties, items } = value;
  return {
    name: String(name ?? id ?? ''),
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof $ref === 'string' ? { ref: $ref.includes('.') ? $ref : `${domain}.${$ref}` } : {}),
    ...(Array.isArray(values) ? { values: values.map(String) } : {}),
    members: list(properties).map((member) => toDescribed(domain, member)),
    ...(isRecord(items) ? { item: toDescribed(domain, items) } : {}),
  };
}

/** Every type, by `Domain.name`. */
export const types: ReadonlyMap<string, Described> = new Map(
  descriptions.flatMap((domain) =>
    list(domain['types']).map((type) => {
      const name = String(domain['domain']);
      return [`${name}.${String(type['id'])}`, toDescribed(name, type)] as const;
    }),
  ),
);

/** The parameters of every command, by `Domain.name`. */
export const parametersOf: ReadonlyMap<string, readonly Described[]> = new Map(
  descriptions.flatMap((domain) =>
    list(domain['commands']).map((command) => {
      const name = String(domain['domain']);
      const parameters = list(command['parameters']).map((parameter) => toDescribed(name, parameter));
      return [`${name}.${String(command['name'])}`, parameters] as const;
    }),
  ),
);

/** Every command, as `Domain.name`. */
export const methodNames = namesOf('commands');

/** Every event, as `Domain.name`. */
export const eventNames = namesOf('events');
