// Examines an endpoint: opens the lab page and the gate page through it and collects what the site observed.
import type { Service } from '../../support/service.ts';
import { type Endpoint, messageOf, NotOffered } from './endpoints/endpoint.ts';
import { type Findings, judge } from './judge/judge.ts';
import type { Reference } from './reference.ts';
import { type GateRun, type LabSite, typedText } from './site.ts';

/** The result for an endpoint. Times in milliseconds. */
export type Examined =
  | { state: 'examined'; findings: Findings; ms: number }
  | { state: 'not offered' | 'failed'; reason: string; ms: number };

export interface Lab {
  site: LabSite;
  service: Service;
  /** Aborts when the whole run is stopped early. */
  signal: AbortSignal;
  /** How many times each endpoint visits the gate. */
  rounds: number;
  /** Whether endpoints that can click and type must do so. */
  withInput: boolean;
}

const visitLimitMs = 60_000;
/** How long an aborted visit may take to close what it opened, in milliseconds. */
const endingMs = 10_000;
/** How long after its endpoint has finished a report may still arrive, in milliseconds. */
const seenLimitMs = 2_000;

let runs = 0;

/** Playwright appends its call log to its error messages. */
const firstLine = (text: string) => text.split('\n', 1)[0] ?? '';

/** A name unique to this run. */
const nextRun = (endpoint: string) => `${endpoint}-${++runs}`;

/**
 * Runs the work with a signal that aborts at the limit or when the outer signal does. Work that does not stop soon
 * after that is abandoned; its browser exits when the service does.
 */
async function limited<T>(limitMs: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const timers: NodeJS.Timeout[] = [];
  const abort = (reason: unknown) => {
    controller.abort(reason);
    timers.push(setTimeout(() => late.reject(reason), endingMs));
  };
  const abortToo = () => abort(outer.reason);
  timers.push(setTimeout(() => abort(new Error(`a visit took longer than ${limitMs} ms`)), limitMs));
  outer.addEventListener('abort', abortToo, { once: true });
  if (outer.aborted) abortToo();
  try {
    return await Promise.race([work(controller.signal), late.promise]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    outer.removeEventListener('abort', abortToo);
  }
}

/**
 * What the site observed of a page that its endpoint has left; the site received everything before the page indicated
 * that it was done.
 */
async function alreadySeen<T>(seen: Promise<T>, what: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`the endpoint finished before the page had ${what}`)), seenLimitMs);
  return Promise.race([seen, promise]).finally(() => clearTimeout(timer));
}

/** Opens the lab page and the gate through the endpoint. Never throws: an endpoint that fails is a result too. */
export async function examine(endpoint: Endpoint, lab: Lab): Promise<Examined> {
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  try {
    return { state: 'examined', findings: await findingsThrough(endpoint, lab), ms: elapsed() };
  } catch (error) {
    const state = error instanceof NotOffered ? 'not offered' : 'failed';
    return { state, reason: firstLine(messageOf(error)), ms: elapsed() };
  }
}

async function findingsThrough(endpoint: Endpoint, lab: Lab): Promise<Findings> {
  const { site, service, rounds } = lab;
  const limitMs = endpoint.limitMs ?? visitLimitMs;
  const visit = (visited: { url: string; selector: string; type?: string }) =>
    limited(limitMs, lab.signal, (signal) => endpoint.visit(service, { ...visited, signal }));
  const run = nextRun(endpoint.name);
  const types = lab.withInput && endpoint.types === true;
  await visit({ url: site.labUrl(run), selector: '#done', ...(types ? { type: typedText } : {}) });
  const judgment = judge(await alreadySeen(site.reported(run), 'reported'));
  const gate: GateRun[] = [];
  while (gate.length < rounds) {
    const round = nextRun(endpoint.name);
    await visit({ url: site.gateUrl(round), selector: '#welcome, #refused' });
    gate.push(await alreadySeen(site.gated(round), 'passed or been rejected'));
  }
  return { judgment, gate, ...(types ? { input: await alreadySeen(site.inputReported(run), 'sent its input') } : {}) };
}

/** The findings for the untouched browser. @throws when it does not report */
export async function examineReference(reference: Reference, lab: Omit<Lab, 'service'>): Promise<Findings> {
  const visit = <T>(url: string, seen: Promise<T>): Promise<T> =>
    limited(visitLimitMs, lab.signal, async (signal) => {
      const { promise, reject } = Promise.withResolvers<never>();
      const abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      await reference.visit(url, Promise.race([seen, promise]));
      return seen;
    });
  const run = nextRun('reference');
  const judgment = judge(await visit(lab.site.labUrl(run), lab.site.reported(run)));
  const round = nextRun('reference');
  return { judgment, gate: [await visit(lab.site.gateUrl(round), lab.site.gated(round))] };
}
