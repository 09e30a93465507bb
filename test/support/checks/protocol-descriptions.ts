/**
 * Reads the descriptions of the Chrome DevTools Protocol that are installed: that of devtools-protocol, of the newest
 * Chromium, and that of chrome-remote-interface, which the server publishes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { protocolDescriptor } from '../../../src/cdp/protocol.ts';
import { isRecord } from '../../../src/schema/record.ts';

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

/** Every command, as `Domain.name`. */
export const methodNames = namesOf('commands');

/** Every event, as `Domain.name`. */
export const eventNames = namesOf('events');
