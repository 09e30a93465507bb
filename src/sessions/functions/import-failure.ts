/**
 * Explains which module a client's code could not import, and why. Chromium's error names only the module requested
 * first, which for a static import is the code itself; its console names the module that failed.
 */
import type { CdpSession } from '../../browser/cdp/connection.ts';

/** A module that could not be loaded. */
interface FailedModule {
  url: string;
  /** The reason, phrased to end a sentence. */
  reason: string;
}

const notFetched = 'Failed to fetch dynamically imported module: ';
const notResolved = /^Failed to resolve module specifier ['"](?<name>[^'"]*)['"]/;

/**
 * Returns the message for a failed import; undefined for any other failure of the code.
 * @param session the session of the page that runs the code
 * @param explain returns why a URL could not be reached, if the network layer knows
 */
export async function importFailure(
  message: string,
  session: CdpSession,
  explain: (url: string) => string | undefined,
): Promise<string | undefined> {
  const name = notResolved.exec(message)?.groups?.['name'];
  if (name !== undefined) {
    const bare = /^(?:@[\w.-]+\/)?[\w.-]+(?:\/[\w./-]*)?$/.test(name);
    const example = bare ? `, such as https://esm.sh/${name}` : '';
    return `Failed to resolve the module "${name}": code can import only full URLs. Import the module by its URL${example}, or put its source into your code.`;
  }
  if (!message.startsWith(notFetched)) return undefined;
  const requestedUrl = message.slice(notFetched.length);
  const failed = await failedModules(session);
  const module = failed.find(({ url }) => url === requestedUrl) ?? failed.at(-1);
  if (!module) return undefined;
  const { url, reason } = module;
  return `Failed to fetch the module ${url}: ${explain(url) ?? `${reason}.`} Import a URL that serves JavaScript.`;
}

/** Collects module errors from the console of the page; read only after an import has failed. */
async function failedModules(session: CdpSession): Promise<FailedModule[]> {
  const found: FailedModule[] = [];
  const foreign = new Set<string>();
  const stop = session.on('Log.entryAdded', ({ entry: { text, url = '' } }) => {
    const blocked = /^Access to script at '([^']*)' .*blocked by CORS policy/.exec(text)?.[1];
    if (blocked !== undefined) foreign.add(blocked);
    const problem = /^Failed to load resource: (.*)/s.exec(text)?.[1];
    if (problem !== undefined) found.push({ url, reason: reasonOf(problem, foreign.has(url)) });
    const type = /^Failed to load module script: .*MIME type of "([^"]*)"/.exec(text)?.[1];
    if (type !== undefined) found.push({ url, reason: `its content type is "${type}", which is not a script type` });
    const local = /^Not allowed to load local resource: (.*)/s.exec(text)?.[1];
    if (local !== undefined) found.push({ url: local, reason: 'it is not a web address' });
  });
  try {
    // The browser first sends the entries that it has collected so far.
    await session.send('Log.enable');
  } finally {
    stop();
    session.send('Log.disable').catch(() => undefined);
  }
  return found;
}

function reasonOf(problem: string, isForeign: boolean): string {
  const status = /status of (\d+)/.exec(problem)?.[1];
  if (status !== undefined) return `its server responded with status ${status}`;
  if (isForeign) {
    return 'its server does not allow other sites to load it: the response has no Access-Control-Allow-Origin header';
  }
  return `it could not be loaded (${problem.replace(/^net::/, '')})`;
}
