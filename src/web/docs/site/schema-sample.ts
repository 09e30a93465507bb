/** Generates an example response from a JSON schema without examples: every property once, one entry in each list. */
import { isJson, type Json } from './json.ts';

/** Realistic values by property name; test/docs/reference.test.ts checks examples against the schemas. */
const sampleValues: Readonly<Record<string, unknown>> = {
  browserId: 'c1f9d7be',
  browserWSEndpoint: 'ws://localhost:3000/devtools/browser/c1f9d7be',
  bytes: 48_213,
  code: 'not-found',
  date: 1_764_158_400_000,
  domain: 'example.com',
  endedOn: 1_764_158_460_000,
  expiresAt: 1_764_162_000_000,
  frameRate: 25,
  height: 720,
  host: 'localhost',
  html: '<h1>Example Domain</h1>',
  id: 'c1f9d7be',
  liveURLId: '7d3b90aa',
  maxConcurrent: 10,
  maxQueued: 10,
  message: 'No element matches the selector.',
  method: 'GET',
  modifiedOn: 1_764_158_460_000,
  name: 'example',
  path: '/',
  port: 3000,
  selector: 'h1',
  session: 'c1f9d7be',
  startedOn: 1_764_158_400_000,
  status: 200,
  text: 'Example Domain',
  timeout: 30_000,
  title: 'Example Domain',
  trackingId: 'order-2041',
  ttl: 60_000,
  url: 'https://example.com/',
  value: 'example',
  version: '1.2.3',
  width: 1280,
};

/** @param name name of the property that the schema describes */
export function sampleOf(schema: Json, name = ''): unknown {
  if (Array.isArray(schema['examples'])) return schema['examples'][0];
  const options = [schema['anyOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? list.filter(isJson) : [],
  );
  const option = options.find(({ type }) => type !== 'null') ?? options[0];
  if (option !== undefined) return sampleOf(option, name);
  if ('const' in schema) return schema['const'];
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices[0];
  switch (schema['type']) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return isJson(schema['items']) ? [sampleOf(schema['items'], name)] : [];
    case 'integer':
    case 'number':
      return typeof sampleValues[name] === 'number' ? sampleValues[name] : Math.max(1, Number(schema['minimum'] ?? 0));
    case 'boolean':
      return true;
    case 'string':
      return stringOf(name);
    case 'null':
      return null;
    default:
      return {};
  }
}

function objectOf(schema: Json): unknown {
  const properties = isJson(schema['properties']) ? Object.entries(schema['properties']) : [];
  return Object.fromEntries(properties.flatMap(([name, each]) => (isJson(each) ? [[name, sampleOf(each, name)]] : [])));
}

function stringOf(name: string): string {
  const value = sampleValues[name];
  if (typeof value === 'string') return value;
  return /URL$|^(connect|stop|browserQL|mp4|webm|ndjson|page)$/i.test(name) ? 'http://localhost:3000/…' : '…';
}
