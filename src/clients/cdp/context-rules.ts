/**
 * Decides which CDP commands code in a shared browser may send. Commands may act only on the pages of its own context:
 * those that reach the browser as a whole, other contexts, or the files and ports of the machine are refused. So are
 * domains that are not named here, so that a newer browser adds no way around the rules.
 */
import { isPlainObject } from '../../schema/record.ts';
import type { Params } from './rules/verdict.ts';

/** A command passes (perhaps with other parameters), is answered without the browser, or is refused with a sentence. */
export type Verdict = { pass: object | undefined } | { answer: object } | { refuse: string };

export interface ContextRules {
  /** Whether a document of this address may be opened. */
  allowsUrl(text: string): boolean;
  /** True when pages may read files of the server. */
  allowFiles: boolean;
}

/** Domains of a page's session whose commands stay within the page, its frames and workers. */
const pageDomains = new Set([
  'Accessibility',
  'Animation',
  'Audits',
  'BackgroundService',
  'BluetoothEmulation',
  'CSS',
  'CacheStorage',
  'Console',
  'DOM',
  'DOMDebugger',
  'DOMSnapshot',
  'DOMStorage',
  'Debugger',
  'DeviceOrientation',
  'Emulation',
  'EventBreakpoints',
  'FedCm',
  'Fetch',
  'HeapProfiler',
  'IO',
  'IndexedDB',
  'Input',
  'Inspector',
  'LayerTree',
  'Log',
  'Media',
  'Network',
  'Overlay',
  'Page',
  'Performance',
  'PerformanceTimeline',
  'Preload',
  'Profiler',
  'Runtime',
  'Schema',
  'Security',
  'ServiceWorker',
  'Storage',
  'WebAudio',
  'WebAuthn',
]);

type Rule = (params: Params, rules: ContextRules) => string | undefined;

const noFiles: Rule = (_, { allowFiles }) =>
  allowFiles ? undefined : 'files of the server may not be read (ALLOW_FILE_PROTOCOL)';
const openUrl: Rule = ({ url }, rules) =>
  url === undefined || (typeof url === 'string' && (rules.allowsUrl(url) || /^blob:https?:/i.test(url)))
    ? undefined
    : 'the scheme of this address cannot be opened here; use http: or https:';

/** Commands of allowed domains that need a check; the check returns the reason for a refusal. */
const exceptions: Readonly<Record<string, Rule>> = {
  'Page.navigate': openUrl,
  'Fetch.continueRequest': openUrl,
  'Network.continueInterceptedRequest': openUrl,
  'Network.loadNetworkResource': openUrl,
  'DOM.setFileInputFiles': noFiles,
  'DOM.getFileInfo': noFiles,
  'Input.dispatchDragEvent': ({ data }, rules) =>
    isPlainObject(data) && Array.isArray(data['files']) && data['files'].length > 0 ? noFiles({}, rules) : undefined,
};

/** Judges commands on the session of a page or worker, except those of the domains Target and Browser. */
export function judgePageCommand(method: string, params: Params, rules: ContextRules): Verdict {
  // The server decides where downloads go; scripts written for a browser of their own set it as a habit.
  if (method === 'Page.setDownloadBehavior') return { answer: {} };
  const domain = method.slice(0, method.indexOf('.'));
  if (!pageDomains.has(domain)) return { refuse: 'it reaches beyond the pages of the code, and the browser is shared' };
  const reason = Object.hasOwn(exceptions, method) ? exceptions[method]?.(params, rules) : undefined;
  if (reason !== undefined) return { refuse: reason };
  // The parameter could name the storage of another context; without it the command acts on the page's own.
  if (domain === 'Storage' && 'browserContextId' in params) {
    const { browserContextId: _, ...own } = params;
    return { pass: own };
  }
  return { pass: params };
}

/** Commands to the browser about a context: the bridge puts the client's own context into each. */
export const contextCommands: ReadonlySet<string> = new Set([
  'Browser.grantPermissions',
  'Browser.resetPermissions',
  'Browser.setPermission',
  'Storage.getCookies',
  'Storage.setCookies',
  'Storage.clearCookies',
]);
