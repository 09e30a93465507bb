// Receives OpenTelemetry on loopback: accepts OTLP over HTTP and decodes its protobuf with a separate library.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { until } from '../until.ts';

type Values = Record<string, unknown>;

export interface ReceivedSpan {
  name: string;
  traceId: string;
  id: string;
  /** Empty for a span without one. */
  parent: string;
  traceState: string;
  /** 1 internal, 2 server. */
  kind: number;
  ms: number;
  attributes: Values;
  events: { name: string; attributes: Values }[];
  /** 0 unset, 2 error. */
  status: number;
  resource: Values;
}

interface Point {
  attributes: Values;
  value: number;
}

export interface ReceivedMetric {
  name: string;
  unit: string;
  description: string;
  kind: 'sum' | 'gauge' | 'histogram';
  points: Point[];
  histograms: { attributes: Values; bounds: number[]; counts: number[]; sum: number; count: number }[];
  /** 2 cumulative. */
  temporality: number;
}

interface ReceivedLog {
  severity: string;
  body: unknown;
  attributes: Values;
  traceId: string;
  spanId: string;
}

/** How the receiver responds. */
export type Mood = (response: ServerResponse) => void;

export const takes: Mood = (response) => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
export const answers =
  (status: number, headers: Record<string, string> = {}): Mood =>
  (response) =>
    response.writeHead(status, headers).end();
/** Keeps the request open forever. */
export const hangs: Mood = () => {};

export interface Receiver {
  url: string;
  /** Headers of the requests so far. */
  headers: IncomingHttpHeaders[];
  /** Paths of the requests so far, including those that were rejected. */
  paths: string[];
  /** Everything received, as text, to search for what must not be there. */
  text(): string;
  spans: ReceivedSpan[];
  logs: ReceivedLog[];
  /** The metrics of the last request. */
  metrics: Map<string, ReceivedMetric>;
  become(mood: Mood): void;
  /** Waits for a span. */
  span(what: string, is: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>;
  childrenOf(span: ReceivedSpan): ReceivedSpan[];
  close(): Promise<void>;
}

const types = protobuf.parse(readFileSync(join(import.meta.dirname, '../fixtures/otlp.proto'), 'utf8')).root;

interface WireValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: number;
  doubleValue?: number;
  arrayValue?: { values: WireValue[] };
  kvlistValue?: { values: WirePair[] };
}
interface WirePair {
  key: string;
  value?: WireValue;
}
interface WireSpan {
  traceId: number[];
  spanId: number[];
  traceState: string;
  parentSpanId: number[];
  name: string;
  kind: number;
  startTimeUnixNano: number;
  endTimeUnixNano: number;
  attributes: WirePair[];
  events: { name: string; attributes: WirePair[] }[];
  status?: { code: number };
}
interface WirePoint {
  asDouble: number;
  count: number;
  sum: number;
  bucketCounts: number[];
  explicitBounds: number[];
  attributes: WirePair[];
}
interface WireMetric {
  name: string;
  unit: string;
  description: string;
  gauge?: { dataPoints: WirePoint[] };
  sum?: { dataPoints: WirePoint[]; aggregationTemporality: number; isMonotonic: boolean };
  histogram?: { dataPoints: WirePoint[]; aggregationTemporality: number };
}
interface WireLog {
  severityText: string;
  body: WireValue;
  attributes: WirePair[];
  traceId: number[];
  spanId: number[];
}
interface Wire {
  resourceSpans: { resource: { attributes: WirePair[] }; scopeSpans: { spans: WireSpan[] }[] }[];
  resourceMetrics: { scopeMetrics: { metrics: WireMetric[] }[] }[];
  resourceLogs: { scopeLogs: { logRecords: WireLog[] }[] }[];
}

function decode(type: 'Traces' | 'Metrics' | 'Logs', bytes: Uint8Array): Wire {
  const message = types.lookupType(type);
  // otlp.proto has these fields; each type has one of the three lists.
  return message.toObject(message.decode(bytes), { longs: Number, bytes: Array, arrays: true }) as Wire;
}

const hex = (bytes: number[] = []) => Buffer.from(bytes).toString('hex');

function valueOf(value: WireValue = {}): unknown {
  if (value.kvlistValue) return attributesOf(value.kvlistValue.values);
  if (value.arrayValue) return value.arrayValue.values.map(valueOf);
  return value.stringValue ?? value.boolValue ?? value.intValue ?? value.doubleValue;
}

function attributesOf(list: WirePair[]): Values {
  return Object.fromEntries(list.map(({ key, value }) => [key, valueOf(value)]));
}

function spansOf(bytes: Uint8Array): ReceivedSpan[] {
  return decode('Traces', bytes).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        traceId: hex(span.traceId),
        id: hex(span.spanId),
        parent: hex(span.parentSpanId),
        traceState: span.traceState ?? '',
        kind: span.kind,
        ms: (span.endTimeUnixNano - span.startTimeUnixNano) / 1e6,
        attributes: attributesOf(span.attributes),
        events: span.events.map(({ name, attributes }) => ({ name, attributes: attributesOf(attributes) })),
        status: span.status?.code ?? 0,
        resource: attributesOf(resource.attributes),
      })),
    ),
  );
}

function metricsOf(bytes: Uint8Array): ReceivedMetric[] {
  const all = decode('Metrics', bytes).resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) => metrics),
  );
  return all.map(({ name, unit = '', description, sum, gauge, histogram }) => ({
    name,
    unit,
    description,
    kind: sum ? 'sum' : gauge ? 'gauge' : 'histogram',
    points:
      (sum ?? gauge)?.dataPoints.map(({ attributes, asDouble = 0 }) => ({
        attributes: attributesOf(attributes),
        value: asDouble,
      })) ?? [],
    histograms:
      histogram?.dataPoints.map(({ attributes, explicitBounds: bounds, bucketCounts: counts, sum: total, count }) => ({
        attributes: attributesOf(attributes),
        bounds,
        counts,
        sum: total,
        count,
      })) ?? [],
    temporality: (sum ?? histogram)?.aggregationTemporality ?? 0,
  }));
}

function logsOf(bytes: Uint8Array): ReceivedLog[] {
  return decode('Logs', bytes).resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map(({ severityText, body, attributes, traceId, spanId }) => ({
        severity: severityText,
        body: valueOf(body),
        attributes: attributesOf(attributes),
        traceId: hex(traceId),
        spanId: hex(spanId),
      })),
    ),
  );
}

export async function startReceiver(): Promise<Receiver> {
  let mood = takes;
  const seen: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '' } = request;
      const body = Buffer.concat(chunks);
      receiver.paths.push(path);
      receiver.headers.push(request.headers);
      mood(response);
      if (response.statusCode !== 200 || !response.writableEnded) return;
      seen.push(body);
      if (path.endsWith('/v1/traces')) receiver.spans.push(...spansOf(body));
      if (path.endsWith('/v1/logs')) receiver.logs.push(...logsOf(body));
      if (path.endsWith('/v1/metrics')) receiver.metrics = new Map(metricsOf(body).map((each) => [each.name, each]));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    headers: [],
    paths: [],
    spans: [],
    logs: [],
    metrics: new Map(),
    text: () => Buffer.concat(seen).toString('latin1'),
    become: (next) => (mood = next),
    span: (what, is) => until(what, () => receiver.spans.find(is)),
    childrenOf: ({ id }) => receiver.spans.filter(({ parent }) => parent === id),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
