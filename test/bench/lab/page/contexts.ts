// Collects facts about every context other than the page: frames and workers, whose scripts are separate files in this
// folder.
import { withinLimit } from './pause.ts';
import type { ContextFacts, LabReport } from './report.ts';

/** How long to wait for a context to reply, in milliseconds. */
const contextLimitMs = 10_000;

function nextMessage(from: Worker | MessagePort): Promise<ContextFacts> {
  return new Promise((resolve) => {
    from.addEventListener('message', (event) => resolve((event as MessageEvent<ContextFacts>).data), { once: true });
    if (from instanceof MessagePort) from.start();
  });
}

function askWorker(): Promise<ContextFacts> {
  return nextMessage(new Worker('/scripts/worker.js'));
}

/** The worker's name is unique, so that pages do not share it. */
function askSharedWorker(): Promise<ContextFacts> {
  return nextMessage(new SharedWorker('/scripts/worker.js', { name: location.pathname }).port);
}

async function askServiceWorker(): Promise<ContextFacts> {
  const registration = await navigator.serviceWorker.register('/scripts/worker.js', { scope: '/lab/' });
  const worker = registration.active ?? registration.installing ?? registration.waiting;
  const channel = new MessageChannel();
  worker?.postMessage('facts', [channel.port2]);
  return nextMessage(channel.port1);
}

/** Loads the frame page from this host; the host decides whether the frame is cross-site. */
function askFrame(host: string): Promise<ContextFacts> {
  const frame = document.createElement('iframe');
  const answered = new Promise<ContextFacts>((resolve) => {
    addEventListener('message', ({ source, data }: MessageEvent<ContextFacts>) => {
      if (source === frame.contentWindow) resolve(data);
    });
  });
  frame.src = `http://${host}:${location.port}/frame`;
  document.body.append(frame);
  return answered;
}

/**
 * Facts about each context, or a string with the reason why there are none. Runs sequentially, because contexts would
 * slow down each other's probes.
 */
export async function askContexts(): Promise<LabReport['contexts']> {
  const ask = (context: () => Promise<ContextFacts>) => withinLimit(context(), contextLimitMs);
  return {
    frame: await ask(() => askFrame(location.hostname)),
    crossFrame: await ask(() => askFrame(location.hostname === 'localhost' ? '127.0.0.1' : 'localhost')),
    worker: await ask(askWorker),
    sharedWorker: await ask(askSharedWorker),
    serviceWorker: await ask(askServiceWorker),
  };
}
