// The lab's website: a real server on loopback with the page that examines its browser, and the gate, which lets in
// only a browser that looks untouched. The pages' reports are stored by run: a name in the page's URL.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PendingResults } from './answered.ts';
import { gateReasons } from './judge/gate-reasons.ts';
import type { GateReport, InputReport, LabReport } from './page/report.ts';
import { bundleScripts, type ScriptName } from './scripts.ts';

/** Headers of the request for the page itself. */
type Headers = Readonly<Record<string, string>>;

export interface LabRun {
  headers: Headers;
  report: LabReport;
}

/** What the gate decided; `reasons` is empty when it let the browser in. */
export interface GateRun {
  reasons: readonly string[];
  /** From the first request to the page behind the gate, in milliseconds. */
  ms: number;
}

export interface LabSite extends AsyncDisposable {
  /** URL of the lab page for a run; #done appears when it has reported. */
  labUrl(run: string): string;
  /** URL of the gate for a run; #welcome is on the page behind it, #refused on the gate when it stays closed. */
  gateUrl(run: string): string;
  /** The report of a run's page. Never resolves if the page does not report; rejects if its script failed. */
  reported(run: string): Promise<LabRun>;
  inputReported(run: string): Promise<InputReport>;
  /** The gate's result for the run. Never resolves if the page does not report to the gate. */
  gated(run: string): Promise<GateRun>;
}

/** Text that a visit types into the lab page's field. */
export const typedText = 'Hello World';

const maxBodyBytes = 4 * 2 ** 20;

const page = (title: string, body: string, script: ScriptName) => `<!doctype html>
<html lang="en"><head><title>${title}</title><meta name="viewport" content="width=device-width"></head>
<body>${body}<script src="/scripts/${script}.js"></script></body></html>`;

const labPage = page(
  'Lab',
  `<style>
  body { height: 3000px; font-family: sans-serif }
  #go { position: absolute; left: 330px; top: 240px; padding: 14px 30px }
  #in { position: absolute; left: 120px; top: 420px; width: 300px }
</style>
<h1>Lab</h1><button id="go">go</button><input id="in" data-text="${typedText}">`,
  'lab',
);
const framePage = page('Frame', '', 'frame');
const challengePage = page('Just a moment...', '<div id="challenge">Checking your browser</div>', 'gate');
const welcomePage = '<!doctype html><title>Shop</title><h1 id="welcome">Welcome</h1>';

const clearance = 'cf_clearance';

async function readJson<T>(incoming: IncomingMessage): Promise<T> {
  let text = '';
  for await (const chunk of incoming) {
    text += String(chunk);
    if (text.length > maxBodyBytes) throw new Error('the report is too large');
  }
  return JSON.parse(text);
}

function headersOf(incoming: IncomingMessage): Headers {
  return Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
}

/**
 * Starts the site. It listens on 127.0.0.1 only, also reachable as `localhost`, which browsers treat as a different
 * site.
 */
export async function startLabSite(): Promise<LabSite> {
  const scripts = await bundleScripts();
  const navigations = new Map<string, Headers>();
  const gateBegan = new Map<string, number>();
  const reports = new PendingResults<LabRun>();
  const inputs = new PendingResults<InputReport>();
  const gates = new PendingResults<GateRun>();

  const sendPage = (response: ServerResponse, text: string) =>
    void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(text);

  const takeReport = async (run: string, name: string, incoming: IncomingMessage) => {
    const headers = navigations.get(run) ?? {};
    if (name === 'report') reports.answer(run, { headers, report: await readJson<LabReport>(incoming) });
    else if (name === 'input') inputs.answer(run, await readJson<InputReport>(incoming));
    else reports.fail(run, new Error((await readJson<{ message: string }>(incoming)).message));
  };

  const decide = async (run: string, incoming: IncomingMessage, response: ServerResponse) => {
    const reasons = gateReasons(await readJson<GateReport>(incoming), navigations.get(run) ?? {});
    if (reasons.length === 0) {
      response.writeHead(204, { 'set-cookie': `${clearance}=${run}; HttpOnly; Path=/` }).end();
      return;
    }
    gates.answer(run, { reasons, ms: performance.now() - (gateBegan.get(run) ?? Number.NaN) });
    response.writeHead(403).end();
  };

  const gate = (run: string, incoming: IncomingMessage, response: ServerResponse) => {
    if (incoming.headers.cookie?.includes(`${clearance}=${run}`)) {
      gates.answer(run, { reasons: [], ms: performance.now() - (gateBegan.get(run) ?? Number.NaN) });
      sendPage(response, welcomePage);
      return;
    }
    gateBegan.set(run, performance.now());
    navigations.set(run, headersOf(incoming));
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cf-mitigated': 'challenge' };
    response.writeHead(403, headers).end(challengePage);
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://lab');
    const [, place = '', run = '', part = ''] = pathname.split('/');
    const script = scripts.get(pathname);
    if (script !== undefined) {
      // The service worker controls the lab pages, which are not under its script's path.
      const headers = { 'content-type': 'text/javascript', 'service-worker-allowed': '/' };
      response.writeHead(200, headers).end(script);
    } else if (place === 'frame') sendPage(response, framePage);
    else if (place === 'lab' && part === '') {
      navigations.set(run, headersOf(incoming));
      sendPage(response, labPage);
    } else if (place === 'lab') {
      await takeReport(run, part, incoming);
      response.writeHead(204).end();
    } else if (place === 'gate' && part === 'pass') await decide(run, incoming, response);
    else if (place === 'gate') gate(run, incoming, response);
    else response.writeHead(404).end();
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', () => resolve());
  await promise;
  const { port } = server.address() as AddressInfo; // A listening TCP server's address is never a string or null.
  const address = `http://127.0.0.1:${port}`;
  return {
    labUrl: (run) => `${address}/lab/${run}`,
    gateUrl: (run) => `${address}/gate/${run}`,
    reported: (run) => reports.wait(run),
    inputReported: (run) => inputs.wait(run),
    gated: (run) => gates.wait(run),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((done) => {
        server.close(() => done());
      });
    },
  };
}
