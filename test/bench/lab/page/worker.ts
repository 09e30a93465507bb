// Script of dedicated, shared and service workers: each sends its facts to the page; a dedicated worker also runs the
// probes.
import { navigatorFacts } from './navigator-facts.ts';
import { runProbes } from './probes.ts';
import type { ContextFacts } from './report.ts';

/** Properties of the worker scope that TypeScript's DOM types do not include. */
interface WorkerScope {
  DedicatedWorkerGlobalScope?: unknown;
  postMessage(message: ContextFacts): void;
  addEventListener(type: 'connect' | 'message', listener: (event: MessageEvent) => void): void;
}

// The worker scope has a different type, which only TypeScript's webworker library declares.
const scope = globalThis as unknown as WorkerScope;

async function answer({ ports: [port] }: MessageEvent): Promise<void> {
  port?.postMessage({ navigator: await navigatorFacts() });
}

async function tell(): Promise<void> {
  scope.postMessage({ navigator: await navigatorFacts(), probes: await runProbes() });
}

if ('DedicatedWorkerGlobalScope' in scope) void tell();
else {
  scope.addEventListener('connect', (event) => void answer(event));
  scope.addEventListener('message', (event) => void answer(event));
}
