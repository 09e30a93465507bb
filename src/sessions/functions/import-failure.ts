/**
 * Says which module of a caller's code could not be imported, and why. Chromium names only the module that was asked
 * for first, which is the code itself for a static import; its console names the one that failed.
 */
import type { CdpSession } from '../../browser/cdp/connection.ts';

/** A module that could not be loaded. */
interface FailedModule {
  url: string;
  /** Why, as the end of a sentence. */
  reason: string;
}

const notFetched = 'Failed to fetch dynamically imported module: ';
const notResolved = /^Failed to resolve module specifier ['"](?<name>[^'"]*)['"]/;

/**
 * The message for an import that failed; undefined for any other failure of the code.
 * @param session of the page that runs the code
 * @param explain tells why an address could not be reached, when the way to it knows
 */
export async function importFailure(
  message: string,
  session: CdpSession,
  explain: (url: string) => string | undefined,
): Promise<string | undefined> {
  const name = notResolved.exec(message)?.groups?.['name'];
  if (name !== undefined) {
    const bare = /^(?:@[\w.-]+\/)?[\w.-]+(?:\/[\w./-]*)?$/.test(name);
    const example = bare ? ` such as https://esm.sh/${name}` : '';
    return `Failed to resolve the module "${name}": code can import whole addresses only. Write the address of the module${example}, or its source into your code.`;
  }
  if (!message.startsWith(notFetched)) return undefined;
  const asked = message.slice(notFetched.length);
  const failed = await failedModules(session);
  const module = failed.find(({ url }) => url === asked) ?? failed.at(-1);
  if (!module) return undefined;
  const { url, reason } = module;
  return `Failed to fetch the module ${url}: ${explain(url) ?? `${reason}.`} Import an address that answers with JavaScript.`;
}

/** What the console of the page tells of modules; it is read only when one has failed. */
async function failedModules(session: CdpSession): Promise<FailedModule[]> {
  const found: FailedModule[] = [];
  const foreign = new Set<string>();
  const stop = session.on('Log.entryAdded', ({ entry: { text, url = '' } }) => {
    const blocked = /^Access to script at '([^']*)' .*blocked by CORS policy/.exec(text)?.[1];
    if (blocked !== undefined) foreign.add(blocked);
    const problem = /^Failed to load resource: (.*)/s.exec(text)?.[1];
    if (problem !== undefined) found.push({ url, reason: reasonOf(problem, foreign.has(url)) });
    const type = /^Failed to load module script: .*MIME type of "([^"]*)"/.exec(text)?.[1];
    if (type !== undefined) found.push({ url, reason: `its content type is "${type}", not that of a script` });
    const local = /^Not allowed to load local resource: (.*)/s.exec(text)?.[1];
    if (local !== undefined) found.push({ url: local, reason: 'it is no address of the web' });
  });
  try {
    // The browser tells first what it has collected so far.
    await session.send('Log.enable');
  } finally {
    stop();
    session.send('Log.disable').catch(() => undefined);
  }
  return found;
}

function reasonOf(problem: string, isForeign: boolean): string {
  const status = /status of (\d+)/.exec(problem)?.[1];
  if (status !== undefined) return `it answers with status ${status}`;
  if (isForeign) {
    return 'its server does not let other sites load it: the answer has no Access-Control-Allow-Origin';
  }
  return `it could not be loaded (${problem.replace(/^net::/, '')})`;
}
