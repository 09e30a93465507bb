// Script of dedicated, shared and service workers: each tells the page its facts; a dedicated one runs the probes too.
import { navigatorFacts } from './navigator-facts.ts';
import { runProbes } from './probes.ts';
import type { ContextFacts } from './report.ts';

/** What TypeScript's DOM does not say of workers. */
interface WorkerScope {
  DedicatedWorkerGlobalScope?: unknown;
  postMessage(message: ContextFacts): void;
  addEventListener(type: 'connect' | 'message', listener: (event: MessageEvent) => void): void;
}

// The scope of workers is another type, which only its own library of TypeScript declares.
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
