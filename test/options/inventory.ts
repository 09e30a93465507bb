// Lists every option that a client or an operator can set, from the tables that the server itself reads.
import { buildSchema, isInputObjectType, isObjectType } from 'graphql';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GenericSchema } from 'valibot';
import { liveCommands } from '../../src/sessions/cdp/live-commands.ts';
import { settings } from '../../src/base/config/table.ts';
import { createLive } from '../../src/api/routes/live/live-rest.ts';
import { shareRecording } from '../../src/api/routes/recordings/share.ts';
import { sessionBody } from '../../src/api/routes/sessions/session-body.ts';
import { directRoutes } from '../../src/api/routes/table.ts';
import { alternativesOf, entriesOf, ignoredPaths, innerOf, unwrap } from '../../src/base/schema/introspect.ts';
import { codeBody } from '../../src/base/schema/request/code.ts';
import { launchEffects, parameterEffects } from '../../src/base/schema/request/effects.ts';
import { exportBody, unblockBody } from '../../src/base/schema/request/address-bodies.ts';
import * as fields from '../../src/base/schema/request/fields.ts';
import { performanceBody } from '../../src/base/schema/request/performance-fields.ts';

const { commonEntries } = fields;
/** Options of an area. Options that the server reports as ignored are separate: one test covers all of them. */
export interface Area {
  options: string[];
  ignored: string[];
}

/** Paths of the fields in a schema, with `[]` for the items of a list. */
function leaves(schema: GenericSchema, path = ''): string[] {
  const inner = unwrap(schema);
  const alternatives = alternativesOf(inner);
  if (alternatives.length > 0) return alternatives.flatMap((each) => leaves(each, path));
  const item = inner.type === 'array' ? innerOf(inner) : undefined;
  if (item) return leaves(item, `${path}[]`);
  const entries = Object.entries(entriesOf(inner) ?? {});
  if (entries.length === 0) return [path];
  return entries.flatMap(([name, entry]) => leaves(entry, path === '' ? name : `${path}.${name}`));
}

/**
 * @param prefix the prefix of the names, such as `pdf:`
 * @param own selects fields by the first part of their paths
 */
function fieldsOf(prefix: string, schema: GenericSchema, own: (name: string) => boolean = () => true): Area {
  const written = (path: readonly string[]) => path.join('.').replaceAll('.*', '[]');
  const ignored = new Set(ignoredPaths(schema).map(written));
  const all = new Set(leaves(schema).filter((path) => own(path.split(/[.[]/)[0] ?? '')));
  return {
    options: [...all].filter((path) => !ignored.has(path)).map((path) => prefix + path),
    ignored: [...all].filter((path) => ignored.has(path)).map((path) => prefix + path),
  };
}

function together(areas: readonly Area[]): Area {
  return { options: areas.flatMap(({ options }) => options), ignored: areas.flatMap(({ ignored }) => ignored) };
}

const isCommon = (name: string) => Object.hasOwn(commonEntries, name);
const routes = {
  pdf: fields.pdfBody,
  screenshot: fields.screenshotBody,
  scrape: fields.scrapeBody,
  markdown: fields.markdownBody,
  export: exportBody,
  performance: performanceBody,
};

const rest = together([
  fieldsOf('page:', fields.contentBody, isCommon),
  ...Object.entries(routes).map(([route, body]) => fieldsOf(`${route}:`, body, (name) => !isCommon(name))),
  fieldsOf('function:', codeBody),
  fieldsOf('unblock:', unblockBody),
]);

const management = together([
  fieldsOf('session:', sessionBody),
  ...(shareRecording.body ? [fieldsOf('share:', shareRecording.body)] : []),
  ...directRoutes.flatMap(({ method, path, query }) =>
    query ? [fieldsOf(`${method}${path.replace(/\{.*\}/, '')}?`, query)] : [],
  ),
]);

/** @param effects the kinds of calls that act on each name; for any other kind, the name is ignored */
function byKind(effects: Readonly<Record<string, readonly string[]>>, prefix = ''): Area {
  const options = Object.entries(effects).flatMap(([name, kinds]) => kinds.map((kind) => `${prefix}${name}@${kind}`));
  const nowhere = Object.entries(effects).filter(([, kinds]) => kinds.length === 0);
  return { options, ignored: nowhere.map(([name]) => prefix + name) };
}

const schema = buildSchema(
  readFileSync(join(import.meta.dirname, '../../src/api/bql/language/schema.graphql'), 'utf8'),
);
const browserQl = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (type.name.startsWith('__')) return [];
  const prefix = type === schema.getMutationType() ? '' : `${type.name}.`;
  if (isInputObjectType(type)) return Object.keys(type.getFields()).map((name) => prefix + name);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap((of) => of.args.map((arg) => `${prefix}${of.name}.${arg.name}`));
});

export const areas: Readonly<Record<string, Area>> = {
  'REST request bodies': rest,
  'query parameters of browser routes': byKind(parameterEffects),
  'launch options': byKind(launchEffects, 'launch.'),
  'sessions and management': management,
  BrowserQL: { options: browserQl, ignored: [] },
  'live views': together([
    ...Object.entries(liveCommands).map(([name, { params }]) => fieldsOf(`${name}:`, params)),
    ...(createLive.body ? [fieldsOf('live:', createLive.body)] : []),
  ]),
  settings: { options: Object.keys(settings), ignored: [] },
};
