/** Collects the data that pages show from the service's tables: settings, errors, routes, fields, versions. */
import { type Feature, featureNames, features } from '../../base/account/features.ts';
import { presets } from '../../control/accounts/plans.ts';
import { browserlessCommands } from '../../sessions/cdp/browserless.ts';
import { describeProtocol } from '../../sessions/cdp/rules/judge.ts';
import { describeSettings, parseConfig, publicConfig } from '../../base/config/config.ts';
import type { Facts, Field, ProtocolFacts, RouteFact } from '../../web/docs/site/model.ts';
import { isJson, type Json } from '../../web/docs/site/json.ts';
import { dereference, fieldsIn, fieldsOf } from '../../web/docs/site/schema-words.ts';
import { errorTable } from '../../base/errors.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import { openApiDocument as describeRoutes } from '../../api/routes/manage/openapi-document.ts';
import { directRoutes, jobRoutes, socketRoutes } from '../../api/routes/table.ts';
import { toJsonSchema } from '../../base/schema/json-schema.ts';
import { sampleOf } from '../../web/docs/site/schema-sample.ts';
import { factsByOperation } from './operations.ts';
import { launchSchema } from '../../base/schema/request/launch.ts';
import { launchSwitches, type SwitchRow } from '../../base/schema/request/launch-switches.ts';
import { serviceVersion } from '../../base/version.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { sampleOrigin } from '../../web/docs/site/site.ts';

/** Returns the OpenAPI document as the running server serves it. */
export function openApiDocument(): Json {
  const server = { url: sampleOrigin, version: serviceVersion };
  const document: unknown = JSON.parse(
    JSON.stringify(describeRoutes({ jobRoutes, directRoutes, socketRoutes }, server)),
  );
  if (!isJson(document)) throw new Error('/openapi.json is not an object');
  return document;
}

export async function collectFacts(document: Json): Promise<Facts> {
  const { config } = await parseConfig({
    env: {},
    args: [],
    readText: () => undefined,
    tmpdir: '/tmp',
    homedir: '~',
  });
  return {
    version: serviceVersion,
    settings: describeSettings(),
    errors: Object.entries(errorTable).map(([code, row]) => ({
      code,
      status: row.status,
      closeCode: row.closeCode,
      title: row.title,
      retryable: row.retryable,
    })),
    exitCodes: Object.values(exitCodes),
    switches: switchFacts(),
    commands: Object.entries(browserlessCommands).map(([name, { params }]) => ({
      name,
      fields: fieldsOf(toJsonSchema(params)),
    })),
    features: featureNames.map(featureFact),
    presets: Object.entries(presets).map(([name, { concurrent }]) => ({ name, concurrent })),
    protocol: {
      browser: protocolFacts('browser'),
      virtual: protocolFacts('virtual'),
      context: protocolFacts('context'),
    },
    routes: routeFacts(document),
    parameters: { launch: fieldsOf(toJsonSchema(launchSchema)) },
    versions: versionFacts(),
    defaults: Object.fromEntries(
      Object.entries(publicConfig(config)).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
    ),
  };
}

function featureFact(name: Feature): Facts['features'][number] {
  const row = features[name];
  const fields = (row.sessionFields ?? []).map((field) => `"${field.replace('=', '": "')}"`);
  const mutations = (row.mutations ?? []).map(
    (each) => `mutation ${each.replace('!', ' without ').replace('.', ' with ')}`,
  );
  return {
    name,
    summary: row.summary,
    ways: [
      ...(row.routes ?? []),
      ...(row.parameters ?? []).map((parameter) => `?${parameter}`),
      ...(row.launch ?? []).map((option) => `launch.${option}`),
      ...(row.switches ?? []).map((option) => `--${option}`),
      ...(fields.length > 0 ? [`POST /session: ${fields.join(', ')}`] : []),
      ...(row.commands ?? []),
      ...(row.events ?? []),
      ...mutations,
    ],
    presets: Object.entries(presets).flatMap(([preset, { without }]) => (without.includes(name) ? [] : [preset])),
  };
}

function protocolFacts(scope: keyof Facts['protocol']): ProtocolFacts {
  const domains = describeProtocol(scope);
  const exceptions = Map.groupBy(
    domains.flatMap((entry) => entry.exceptions),
    ({ kind, note }) => `${kind} ${note}`,
  );
  return {
    passes: domains
      .map(({ domain, passes }) => ({ domain, methods: passes }))
      .filter(({ methods }) => methods.length > 0),
    rules: [...exceptions.values()].flatMap((same) => {
      const [first] = same;
      return first ? [{ kind: first.kind, note: first.note, methods: same.map(({ method }) => method) }] : [];
    }),
  };
}

function switchFacts(): Facts['switches'] {
  const kinds = Map.groupBy(Object.entries(launchSwitches), ([, { treatment, reason }]) => `${treatment} ${reason}`);
  return [...kinds.values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined) return [];
    const [, { treatment, reason }] = first;
    return [{ treatment, reason, names: rows.map(([name, row]) => nameOfSwitch(name, row)).toSorted() }];
  });
}

function nameOfSwitch(name: string, { expected }: SwitchRow): string {
  return expected === undefined ? `--${name}` : `--${name}=<${expected}>`;
}

const uses: Readonly<Record<string, string>> = {
  hono: 'Routing',
  ws: 'WebSocket',
  graphql: 'BrowserQL',
  lighthouse: 'Audits of /performance',
  'puppeteer-core': 'Puppeteer, tested client',
  'playwright-core': 'Playwright, tested client',
  '@sparticuz/chromium': 'Headless shell used when no browser is installed',
  node: 'Runtime of the server',
  deno: 'Alternative runtime of the server',
};

function versionFacts(): Facts['versions'] {
  const pinned: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies };
  return [
    { name: 'browserd', version: serviceVersion, use: 'This service' },
    ...Object.entries(uses).flatMap(([name, use]) => {
      const version = pinned[name];
      return version === undefined ? [] : [{ name, version, use }];
    }),
  ];
}

const prefixes = /^\/(chromium|chrome|edge|firefox|webkit)(?=\/|$)/;

/** Lists the operations of the document; operations that differ only in the browser prefix count as one. */
function routeFacts(document: Json): RouteFact[] {
  const groups = new Map<string, { path: string; method: string; operation: Json; paths: string[] }>();
  for (const [path, item] of Object.entries(dereference(document, document['paths']))) {
    for (const [method, operation] of Object.entries(dereference(document, item))) {
      if (!isJson(operation) || !/^(get|put|post|delete|patch)$/.test(method)) continue;
      const bare = path.replace(prefixes, '') || '/';
      const key = `${method} ${bare} ${String(operation['summary'])}`;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { path, method, operation, paths: [path] });
      else known.paths.push(path);
    }
  }
  const ofRoutes = factsByOperation();
  return [...groups.values()].map(({ path, method, operation, paths }): RouteFact => {
    const responses = dereference(document, operation['responses']);
    const statuses = Object.keys(responses).map(Number);
    const success = dereference(document, responses[String(statuses.find((status) => status >= 200 && status < 300))]);
    const content = dereference(document, success['content']);
    const json = dereference(
      document,
      dereference(document, dereference(document, operation['requestBody'])['content'])['application/json'],
    );
    const parameters = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
    const query = parameters.map((each) => dereference(document, each)).filter((each) => each['in'] === 'query');
    const asSchema = { properties: Object.fromEntries(query.map((each) => [String(each['name']), withText(each)])) };
    const facts = ofRoutes.get(`${method} ${path}`);
    if (facts === undefined) throw new Error(`The routes have no ${method} ${path}`);
    const schema = inlined(document, dereference(document, content['application/json'])['schema']);
    const answer = answerFields(schema);
    return {
      group: facts.group,
      method: facts.isSocket ? 'WS' : method.toUpperCase(),
      path,
      paths,
      summary: textOf(operation['summary']),
      description: textOf(operation['description']),
      answers: Object.keys(content),
      answer,
      answerExample: answer.length === 0 || !isJson(schema) ? undefined : sampleOf(schema),
      statuses: statuses.filter((status) => status >= 400),
      errors: facts.errors,
      example: json['example'],
      body: fieldsOf(dereference(document, json['schema'])),
      query: fieldsOf(asSchema),
      open: Array.isArray(operation['security']) && operation['security'].length === 0,
    };
  });
}

/** Returns a schema with all references replaced by their targets. */
function inlined(document: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => inlined(document, each));
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(dereference(document, value)).map(([name, each]) => [name, inlined(document, each)]),
  );
}

/** Lists the fields of a response; marks optional fields instead of required ones. */
function answerFields(schema: unknown): Field[] {
  return fieldsIn(isJson(schema) ? schema : {}).map((field) => ({
    ...field,
    required: false,
    type: field.required ? field.type : `${field.type}, may be missing`,
  }));
}

function withText(parameter: Json): Json {
  const schema = isJson(parameter['schema']) ? parameter['schema'] : {};
  return { ...schema, description: parameter['description'] };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
