// Sends each pair of options in one request. Both must show their effect; otherwise the server must refuse the pair,
// name the option without effect in X-Ignored-Parameters, or say in the description of one of them which one wins.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { GenericSchema } from 'valibot';
import * as fields from '../../../src/base/schema/request/fields.ts';
import { descriptionOf, schemaAt } from '../../../src/base/schema/introspect.ts';
import { fromBase64 } from '../../../src/base/runtime/bytes.ts';
import { isPlainObject } from '../../../src/base/schema/record.ts';
import { readJpeg, readPdf, readPng } from '../../support/checks/media.ts';
import { messageOf } from '../../support/checks/expect.ts';
import type { Reply } from '../../support/clients/http.ts';
import { figure } from '../../support/suite.ts';
import { type Service, startService } from '../../support/service.ts';
import { type Site, startSite } from '../../support/site/site.ts';
import { type Body, commonProbes, pdfProbes, type Probe, type Route, screenshotProbes, type Seen } from './probes.ts';

export type Outcome = 'both' | 'refused' | 'listed' | 'described' | 'silent';

interface Pair {
  route: Route;
  options: readonly [string, string];
  /**
   * `both`: both effects show; `refused`: a 4xx; `listed`: X-Ignored-Parameters names the one without effect;
   * `described`: its description or that of the other one names the winner; `silent`: none of these.
   */
  outcome: Outcome;
  /** The options without effect, or the message. */
  detail: string;
}

const schemas: Readonly<Record<Route, GenericSchema>> = {
  content: fields.contentBody,
  pdf: fields.pdfBody,
  screenshot: fields.screenshotBody,
};
export const routes: readonly Route[] = ['content', 'pdf', 'screenshot'];
const lanes = 4;

export function probesOf(route: Route, base: string): Probe[] {
  const own = route === 'pdf' ? pdfProbes : route === 'screenshot' ? screenshotProbes : [];
  return [...commonProbes(base, route), ...own];
}

interface Walk {
  /** Default: all. */
  on?: readonly Route[];
  /** Whether each option is sent alone first: it must show its effect, and the request without it must not. */
  alone?: boolean;
  /** Selects pairs; default: all. */
  select?: (route: Route, first: string, second: string) => boolean;
}

/** Walks over the pairs of options of each route; pairs of common options are sent to /content only. */
export async function walkPairs({ on = routes, alone = true, select = () => true }: Walk = {}) {
  await using site = await startSite();
  const service = await startService({ env: { CONCURRENT: String(lanes), QUEUED: '100' } });
  try {
    const visits = new Visits(service, site);
    const problems: string[] = [];
    const pairs: Pair[] = [];
    const tasks = on.flatMap((route) => {
      const names = probesOf(route, '').map(({ option }) => option);
      const fresh = route === 'content' ? 0 : commonProbes('', route).length;
      return names.flatMap((name, one) => [
        ...(alone ? [async () => void problems.push(...(await visits.alone(route, one)))] : []),
        ...names.flatMap((other, two) =>
          two > one && two >= fresh && select(route, name, other)
            ? [async () => void pairs.push(...(await visits.pair(route, one, two)))]
            : [],
        ),
      ]);
    });
    const lane = async () => {
      for (let task = tasks.shift(); task; task = tasks.shift()) await task();
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return { pairs, problems };
  } finally {
    await service.stop();
  }
}

/** All pairs of one route: each option has its effect alone, and no pair loses one silently. Prints the outcomes. */
export async function provePairs(route: Route, atLeast: number): Promise<void> {
  const { pairs, problems } = await walkPairs({ on: [route] });
  const counts = [...Map.groupBy(pairs, ({ outcome }) => outcome)].map(([outcome, own]) => `${own.length} ${outcome}`);
  const silent = pairs.filter(({ outcome }) => outcome === 'silent');
  figure(`/${route}: ${pairs.length} pairs of options, ${silent.length} silent (${counts.join(', ')})`);
  assert.equal([problems, silent], [[], []]);
  assert.ok(pairs.length > atLeast, `${pairs.length} pairs`);
}

class Visits {
  readonly #service: Service;
  readonly #site: Site;
  #count = 0;

  constructor(service: Service, site: Site) {
    this.#service = service;
    this.#site = site;
  }

  async alone(route: Route, index: number): Promise<string[]> {
    const problems: string[] = [];
    for (const isOn of [true, false]) {
      const { base, probes } = this.#begin(route, index);
      const [probe] = probes;
      const { seen, reply } = await this.#visit(
        route,
        base,
        probes,
        isOn ? [probe.beside, probe.value] : [probe.beside],
      );
      if (probe.shows(seen) === isOn || (!isOn && probe.waits)) continue;
      problems.push(
        `${route} ${probe.option}: ${isOn ? 'no effect' : 'an effect without it'} (${reply.status} ${reply.status === 200 ? '' : messageOf(reply).slice(0, 200)})`,
      );
    }
    return problems;
  }

  /** Empty when both set the same field to different values, or the effect of one cannot show beside the other. */
  async pair(route: Route, one: number, two: number): Promise<Pair[]> {
    const { base, probes } = this.#begin(route, one, two);
    const parts = probes.flatMap(({ beside, value }) => [beside, value]);
    // Without scripts, some effects cannot show.
    const isOff = probes.some(({ option }) => option === 'setJavaScriptEnabled');
    if (collide(probes) || (isOff && probes.some(({ scripts }) => scripts))) return [];
    const { seen, reply } = await this.#visit(route, base, probes, parts);
    const [first, second = first] = probes;
    const names = [first.option, second.option] as const;
    const lost = probes.filter((probe) => !probe.shows(seen)).map(({ option }) => option);
    const of = (outcome: Outcome, detail: string): Pair[] => [{ route, options: names, outcome, detail }];
    if (lost.length === 0) return of('both', '');
    if (reply.status >= 400 && reply.status < 500) return of('refused', messageOf(reply).slice(0, 160));
    const listed = (reply.headers['x-ignored-parameters'] ?? '').split(', ');
    if (lost.every((option) => listed.includes(option))) return of('listed', lost.join(', '));
    if (describes(schemas[route], names)) return of('described', lost.join(', '));
    return of('silent', `${reply.status}: no effect of ${lost.join(', ')}`);
  }

  #begin(route: Route, ...indexes: readonly number[]) {
    const base = `${this.#site.url}/walk/${this.#count++}`;
    const probes = indexes.flatMap((index) => probesOf(route, base)[index] ?? []);
    const [first, ...others] = probes;
    if (!first) throw new Error('no probe');
    return { base, probes: [first, ...others] as const };
  }

  async #visit(route: Route, base: string, probes: readonly Probe[], parts: readonly (Body | undefined)[]) {
    const url = probes.some(({ css }) => css) ? `${base}?css` : base;
    const body = parts.reduce<Body>((all, part) => merge(all, part ?? {}), { url });
    const reply = await this.#service.post(`/${route}`, body);
    const seen = await this.#seen(route, new URL(base).pathname, reply);
    return { seen, reply };
  }

  async #seen(route: Route, path: string, reply: Reply): Promise<Seen> {
    const { requests } = this.#site;
    const own = requests.filter((request) => request.path.startsWith(`${path}/`));
    const hits = own.filter(({ path: at, headers }) => !at.endsWith('/auth') || headers['authorization']);
    const isAd = requests.some((request) => request.path === '/banner_ads/x.gif' && request.query.has(path.slice(6)));
    const contentType = reply.headers['content-type'] ?? '';
    return {
      status: reply.status,
      contentType,
      page: requests.find((request) => request.path === path)?.headers ?? {},
      hits: new Set([...hits.map((request) => request.path.slice(path.length + 1)), ...(isAd ? ['ad'] : [])]),
      bytes: reply.bytes,
      ...(reply.status === 200 && route === 'pdf' ? { pdf: await pdfOf(reply.bytes) } : {}),
      ...(reply.status === 200 && route === 'screenshot' ? imageOf(reply, contentType) : {}),
    };
  }
}

function imageOf(reply: Reply, contentType: string): Pick<Seen, 'image' | 'bytes'> {
  const bytes = contentType.startsWith('text/') ? fromBase64(reply.text) : reply.bytes;
  const type = bytes[0] === 0xff ? 'jpeg' : 'png';
  return { bytes, image: { type, ...(type === 'jpeg' ? readJpeg(bytes) : readPng(bytes)) } };
}

async function pdfOf(bytes: Uint8Array): Promise<Seen['pdf']> {
  const { getDocument, OPS } = await import('unpdf/pdfjs');
  const task = getDocument({ data: bytes.slice(), verbosity: 0 });
  const { fnArray, argsArray } = await (await (await task.promise).getPage(1)).getOperatorList();
  const colors = [...fnArray].flatMap((operation, at) =>
    operation === OPS.setFillRGBColor ? [String(argsArray[at])] : [],
  );
  await task.destroy();
  return { ...(await readPdf(bytes)), colors };
}

function merge(one: Body, two: Body): Body {
  const merged: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(two)) {
    const there = merged[name];
    merged[name] = isPlainObject(there) && isPlainObject(value) ? merge(there, value) : value;
  }
  return merged;
}

function leavesOf(value: unknown, path: string): [string, string][] {
  if (!isPlainObject(value)) return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, join(path, name)));
}

/** Whether the probes set one field to different values: then there is nothing to combine. */
function collide(probes: readonly Probe[]): boolean {
  const [one = [], two = []] = probes.map(({ beside, value }) => leavesOf(merge(beside ?? {}, value), ''));
  const first = new Map(one);
  return two.some(([path, value]) => first.has(path) && first.get(path) !== value);
}

/** Whether the description of one option names the other one. */
function describes(schema: GenericSchema, [one, two]: readonly [string, string]): boolean {
  const says = (option: string, other: string) => {
    const found = schemaAt(schema, option.split('.'));
    const words = (found && descriptionOf(found)) ?? '';
    return new RegExp(`\\b${other.split('.').at(-1) ?? ''}\\b`).test(words);
  };
  return says(one, two) || says(two, one);
}
