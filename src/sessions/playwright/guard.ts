/**
 * Refuses messages that Playwright clients may not send. Playwright trusts its clients: the protocol can start
 * programs, read and write files and make requests in the process of the server. Playwright's libraries use none of
 * this over a connection; a hand-written client could. URLs are checked in both directions
 * (compatibility.mdx#destinations).
 */
import { ServiceError, toServiceError } from '../../base/errors.ts';
import { messageLimits, urlCharacters } from '../../base/limits.ts';
import { JsonTooLarge, parseJson, readJson } from '../../base/schema/json-text.ts';
import { isPlainObject } from '../../base/schema/record.ts';
import { parseAddress, unbracketed } from '../../base/schema/request/addresses.ts';
import { type NetworkPolicy, refusedNavigation } from '../../browser/network/policy.ts';
import { findUrl, type Message, invalidMember } from './client-message.ts';
import { refusalOfFilter, replacePatterns } from './patterns.ts';
import { type CommandJudge, type CommandOutcome, outcomeOf } from './cdp-commands.ts';
import { SentFiles } from './file-access.ts';

/**
 * What happens to a client's message: it passes, another message passes in its place, the client receives a response,
 * the session ends, the connection closes because the message cannot be read, or the verdict follows later, once a file
 * has been checked or a proxy reached.
 */
export type Verdict =
  | { kind: 'pass' }
  | { kind: 'replace'; text: string }
  | { kind: 'answer'; text: string }
  | { kind: 'end'; reason: ServiceError }
  | { kind: 'close'; code: 1007 | 1009; reason: string }
  | { kind: 'later'; verdict: Promise<Verdict> };

/** Methods that make the server start something, connect somewhere or open one of its files. */
const refusedMethods: Readonly<Record<string, string>> = {
  launch: 'the server starts the browsers',
  launchServer: 'the server starts the browsers',
  launchPersistentContext: 'the server starts the browsers',
  launchBrowser: 'the server starts the browsers',
  startServer: 'the server starts the browsers',
  connectOverCDP: 'the server chooses what it connects to',
  connectOverCDPTransport: 'the server chooses what it connects to',
  connectToWorker: 'the server chooses what it connects to',
  devices: 'the server chooses what it connects to',
  newRequest: 'use the request object of a context, or make the request in the client',
  saveAs: 'it writes a file on the server; read the artifact as a stream',
  enableRecorder: 'it writes a file on the server',
  showRecorder: 'it writes a file on the server',
  recorderSupplementEnable: 'it writes a file on the server',
  zip: 'it writes a file on the server',
  harOpen: 'it reads a file on the server',
  harUnzip: 'it writes a file on the server',
  tracingStarted: 'it writes a file on the server',
};

/** Parameters that specify files on the server, or that would make connections past its network filter. */
const refusedParameters: Readonly<Record<string, string>> = {
  localPaths: 'it reads files on the server; send the files themselves',
  localDirectory: 'it reads files on the server; send the files themselves',
  outputFile: 'it writes a file on the server',
  executablePath: 'the server chooses the browser',
  clientCertificates: "connections with client certificates would bypass the server's network filter",
};

/** Schemes of the browser's own pages, and of files. */
const refusedSchemes =
  /^(?:view-source|chrome|chrome-untrusted|chrome-search|devtools|edge|resource|jar|moz-extension):/;
const fileScheme = /^file:/;
const fileInText = /"url"\s*:\s*"[\s\\tnr]*(?:view-source:\s*)*file:/i;
/**
 * Matches the start of a message in which Playwright's server reports that a frame shows a page of the browser itself.
 * Only these messages count: a page can name such URLs in requests, which the browser refuses.
 */
const showsOwnPage =
  /^\{"guid":"[^"]*","method":(?:"navigated","params":\{|"__create__","params":\{"type":"Frame",[^}]*?)"url":"((?:view-source|chrome|chrome-untrusted|chrome-search|devtools|edge|resource|jar|moz-extension):)(?!\/\/new-?tab)/i;
/** Matches an upward step (`..`) or an absolute path, in a name that becomes part of a path on the server. */
const leavesDirectory = /(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\]|^[a-z]:/i;

const pass: Verdict = { kind: 'pass' };
/** This server cannot check a message that it cannot read. */
const unreadable: Verdict = { kind: 'close', code: 1007, reason: 'a message is no JSON object' };

function unreadableBecause(error: unknown): Verdict {
  return error instanceof JsonTooLarge
    ? { kind: 'close', code: 1009, reason: `a message ${error.message}` }
    : unreadable;
}

/** The proxy that a client specifies for a context. */
interface ContextProxy {
  server: string;
  bypass: string | undefined;
  username: string | undefined;
  password: string | undefined;
}

export interface GuardOptions {
  policy: NetworkPolicy;
  /**
   * Puts a local proxy in front of the proxy that a client specifies for a context, and resolves with the URL of the
   * local proxy; undefined in browsers in which a context's proxy does not carry all of its traffic (Firefox, WebKit).
   */
  openProxy: ((proxy: ContextProxy) => Promise<string>) | undefined;
  /** Checks the commands of a CDPSession. */
  judge: CommandJudge;
  /** MAX_SESSION_FILES_MB in bytes: total size of the files that the client may send; 0 for no limit. */
  maxFileBytes: number;
  /** The `storageState` of contexts for which the client specifies none. Default: no state. */
  storageState?: object | undefined;
}

export class PlaywrightGuard {
  readonly #options: GuardOptions;
  readonly #files: SentFiles;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#files = new SentFiles(options.maxFileBytes);
  }

  /** Checks a whole message from the client. */
  fromClient(text: string): Verdict {
    let message: unknown;
    try {
      message = parseJson(text, messageLimits);
    } catch (error) {
      return unreadableBecause(error);
    }
    return this.#judgeMessage(message);
  }

  /** Like `fromClient`, for the UTF-8 bytes of a long message, spread over several turns of the event loop. */
  async fromLongMessage(bytes: Uint8Array): Promise<Verdict> {
    let message: unknown;
    try {
      message = await readJson(bytes, messageLimits);
    } catch (error) {
      return unreadableBecause(error);
    }
    return this.#judgeMessage(message);
  }

  #judgeMessage(message: unknown): Verdict {
    if (!isPlainObject(message)) return unreadable;
    const isCommand = message['method'] === 'send';
    const verdict = isCommand ? undefined : this.#refuse(message);
    if (verdict) return verdict;
    // Playwright's server would not respond, and would throw an error that nobody catches.
    const isBare = message['params'] === undefined;
    // Libraries leave out the parameters of calls that have none.
    if (isBare) message['params'] = {};
    const wrong = invalidMember(message);
    if (wrong !== undefined) return errorResponse(message, wrong);
    if (isCommand) return this.#judgeCommand(message);
    const filter = refusalOfFilter(message);
    if (filter !== undefined) return errorResponse(message, filter);
    const bounded = replacePatterns(message);
    const { storageState } = this.#options;
    const stored = storageState !== undefined && putState(message, storageState);
    const proxied = proxyOf(message);
    if (proxied === undefined && (stored || isBare || bounded))
      return { kind: 'replace', text: JSON.stringify(message) };
    return proxied === undefined ? pass : { kind: 'later', verdict: this.#replaceProxy(message, proxied) };
  }

  #refuse(message: Message): Verdict | undefined {
    const refusal = refusalOf(message) ?? this.#files.refusal(message);
    if (refusal !== undefined) return errorResponse(message, refusal);
    const blocked = findUrl(message, (url) => this.#refusalOfUrl(url));
    return blocked && { kind: 'end', reason: refusedNavigation(blocked.url, blocked.reason) };
  }

  /**
   * Returns the scheme of a forbidden URL that a page shows, from a message to the client; undefined when the message
   * reports none. The text may be decoded with any ASCII-compatible encoding.
   */
  shownScheme(text: string): string | undefined {
    if (fileInText.test(text) && !this.#options.policy.allowsScheme(new URL('file:///'))) return 'file:';
    return showsOwnPage.exec(text)?.[1]?.toLowerCase();
  }

  #judgeCommand(message: Message): Verdict {
    const outcome = outcomeOf(message['params'], this.#options.judge);
    if (!(outcome instanceof Promise)) return followCommand(message, outcome);
    return { kind: 'later', verdict: outcome.then((later) => followCommand(message, later)) };
  }

  #refusalOfUrl(text: string): string | undefined {
    if (text.length > urlCharacters) return 'it is longer than a browser takes';
    // Reads the text as the URL parser does: drops surrounding blanks and control characters, and tabs and newlines
    // anywhere.
    let bare = text
      .replace(/^[\0-\x20]+/, '')
      .replace(/[\t\n\r]/g, '')
      .toLowerCase();
    const isSource = bare.startsWith('view-source:');
    while (bare.startsWith('view-source:')) bare = bare.slice('view-source:'.length).trimStart();
    if (fileScheme.test(bare)) {
      return this.#options.policy.allowsScheme(new URL('file:///'))
        ? undefined
        : 'files on the server cannot be opened';
    }
    const scheme = /^[a-z][a-z0-9+.-]*:/.exec(bare)?.[0] ?? '';
    if (isSource || refusedSchemes.test(bare))
      return `the scheme ${isSource ? 'view-source:' : scheme} cannot be opened here`;
    if (scheme === 'about:' && !/^about:(?:blank|srcdoc)\b/.test(bare))
      return 'pages of the browser itself cannot be opened here';
    if (!/^(?:https?|wss?):$/.test(scheme) || !URL.canParse(bare)) return undefined;
    const { protocol, hostname, port } = new URL(bare);
    const host = unbracketed(hostname);
    // Hostnames are resolved, and their addresses checked, where connections are made.
    if (!parseAddress(host)) return undefined;
    return this.#options.policy.refusal(host, Number(port) || (/^(?:https|wss):$/.test(protocol) ? 443 : 80));
  }

  /**
   * Puts a local proxy, which applies the network policy, in front of a context's own proxy, which would bypass it.
   */
  async #replaceProxy(message: Message, { proxy, put }: Proxied): Promise<Verdict> {
    if (!this.#options.openProxy) {
      const advice = 'set it for the whole browser: ?launch={"proxy":{"server":"http://host:8080"}}';
      return errorResponse(message, `a proxy for a single context is not available in this browser; ${advice}`);
    }
    try {
      put(await this.#options.openProxy(proxy));
      return { kind: 'replace', text: JSON.stringify(message) };
    } catch (error) {
      return errorResponse(message, toServiceError(error).message);
    }
  }
}

/** Why a message is refused, or undefined. */
function refusalOf({ method, params }: Message): string | undefined {
  if (typeof method === 'string' && Object.hasOwn(refusedMethods, method)) {
    return `"${method}" is not available on this server: ${refusedMethods[method]}`;
  }
  if (!isPlainObject(params)) return undefined;
  for (const [name, reason] of Object.entries(refusedParameters)) {
    const value = params[name];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    return `"${name}" is not available on this server: ${reason}`;
  }
  // Names of uploads and traces, which become parts of paths.
  const { items, rootDirName, name } = params;
  const names = [
    ...(Array.isArray(items) ? items.map((item: unknown) => (isPlainObject(item) ? item['name'] : undefined)) : []),
    rootDirName,
    typeof method === 'string' && method.startsWith('tracing') ? name : undefined,
  ];
  const wrong = names.find((part) => typeof part === 'string' && leavesDirectory.test(part));
  return wrong === undefined ? undefined : 'a file name with a path that leaves its directory is not allowed';
}

/** Sets the storage state of a new context, unless the client has specified one. @returns whether it did */
function putState({ method, params }: Message, storageState: object): boolean {
  if (method !== 'newContext' && method !== 'newContextForReuse') return false;
  if (!isPlainObject(params) || (params['storageState'] !== undefined && params['storageState'] !== null)) return false;
  params['storageState'] = storageState;
  return true;
}

interface Proxied {
  proxy: ContextProxy;
  /** Replaces the proxy in the message with another server. */
  put(server: string): void;
}

/** Returns the proxy of a new context; undefined for a context without one. */
function proxyOf({ params }: Message): Proxied | undefined {
  if (!isPlainObject(params) || !isPlainObject(params['proxy'])) return undefined;
  const { server, bypass, username, password } = params['proxy'];
  return {
    proxy: {
      server: textOf(server) ?? '',
      bypass: textOf(bypass),
      username: textOf(username),
      password: textOf(password),
    },
    put: (local) => void (params['proxy'] = { server: local, bypass: '<-loopback>' }),
  };
}

/** Forwards a command as this server serializes it, so that the browser receives exactly what was checked. */
function followCommand(message: Message, outcome: CommandOutcome): Verdict {
  if ('error' in outcome) return errorResponse(message, outcome.error);
  const { id, params } = message;
  if ('result' in outcome) return { kind: 'answer', text: JSON.stringify({ id, result: { result: outcome.result } }) };
  const command = { ...(isPlainObject(params) ? params : {}), params: outcome.pass };
  return { kind: 'replace', text: JSON.stringify({ ...message, params: command }) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Responds to a call with an error of Playwright's protocol. */
function errorResponse({ id }: Message, message: string): Verdict {
  const error = { error: { name: 'Error', message, stack: '' } };
  return {
    kind: 'answer',
    text: JSON.stringify({ ...(typeof id === 'number' || typeof id === 'string' ? { id } : {}), error }),
  };
}
