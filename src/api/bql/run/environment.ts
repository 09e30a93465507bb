/** Declares a document's dependencies on the server (URL policy, proxies, limits), so that src/api/bql imports none. */
import type { CommandParams } from '../../../browser/cdp/connection.ts';
import type { ServiceError } from '../../../base/errors.ts';
import type { CaptchaHelp } from '../../../browser/page/captcha/help.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import type { Tracing } from '../../../base/telemetry/tracing.ts';

/** URLs at which a client reaches a kept browser again; they contain no token. */
export interface Endpoints {
  browserQLEndpoint: string;
  browserWSEndpoint: string;
  devtoolsFrontendUrl: string;
  webSocketDebuggerUrl: string;
}

/** Options of `liveURL`. */
interface LiveLinkRequest {
  /** How long the link works and keeps the browser alive, in milliseconds. */
  timeout: number;
  interactive: boolean;
  resizable: boolean;
  /** 1 to 100; undefined for the default qualities of moving and resting pages. */
  quality: number | undefined;
  type: 'jpeg' | 'png';
  showBrowserInterface: boolean;
  instructions: string | undefined;
}

/** The link of a live view; it works without a token. */
interface LiveLink {
  liveURL: string;
  liveURLId: string;
}

interface ProxyOptions {
  /** `scheme://[user:password@]host:port` */
  server: string | undefined;
  country: string | undefined;
  city: string | undefined;
  state: string | undefined;
  sticky: boolean | undefined;
}

interface OpenProxy extends Disposable {
  /** URL of a local proxy in front of it, which does not need a password. */
  server: string;
  /** Whether untrusted TLS certificates of sites are accepted. */
  insecure: boolean;
}

/** Sends the browser's matching connections through a proxy. */
interface HostRoute {
  matches(host: string, port: number): boolean;
  proxyServer: string;
}

/** Client-chosen options that let others read what the browser's pages send. */
export interface Exposure {
  /** The connections go through the client's own proxy. */
  ownProxy: boolean;
  /** Certificates that cannot be verified are accepted. */
  insecure: boolean;
  /** Message that explains why no secret may be filled in at all. */
  refusal: string | undefined;
}

export interface BqlEnvironment {
  /** @throws ServiceError for a URL that must not be opened; the message names `field` */
  checkUrl(text: string, field: string): URL;
  /** Whether a document or sub-resource of this URL may be loaded. */
  allowsUrl(url: string): boolean;
  /** Headers for a request that the server makes for a page, signed if the operator has configured signatures. */
  signed(url: string, headers: Record<string, string>): Record<string, string>;
  /** Explains why a URL could not be reached when Chromium only knows that the proxy refused. */
  explain(url: string): ServiceError | undefined;
  /** Returns the error of a step, or `storage-full` when a full disk explains it. */
  explainByDisk(error: unknown): Promise<unknown>;
  /** The IP address and port at which a URL was last reached. */
  addressOf(url: string): { ip: string; port: number } | undefined;
  /**
   * Opens the proxy that the document specifies, or one from the operator's provider.
   * @throws ServiceError for a proxy that is invalid, not configured or cannot be reached
   */
  openProxy(options: ProxyOptions): Promise<OpenProxy>;
  /**
   * Routes the connections of a stealth browser, which must make its requests itself, through proxies by host. `add`
   * returns a function that removes the route. `routes` is undefined when the whole browser already has a proxy.
   */
  stealth?: { routes: { add(route: HostRoute): () => void } | undefined } | undefined;
  /**
   * Keeps the browser for `timeoutMs` milliseconds after the document, and returns its URLs.
   * @param targetId target of the current page
   * @throws ServiceError when the time is too long
   */
  reconnect?(timeoutMs: number, targetId: string): Promise<Endpoints>;
  /**
   * Opens a live view of a page, and keeps the browser for the view's duration after the document.
   * @param targetId target of the current page
   * @param signal signal of the step: no link is issued once it has aborted
   * @throws ServiceError when the browser has too many live views or the page was closed
   */
  openLive?(targetId: string, request: LiveLinkRequest, signal: AbortSignal): Promise<LiveLink>;
  exposure: Exposure;
  /** Reads a stored secret of the client; undefined when there is none with this name. @throws ServiceError */
  secret(name: string): Promise<{ value: string; origins: readonly string[] } | undefined>;
  /**
   * Permanently hides the browser's pages from live views, recordings and all clients except this document.
   * @returns why it is too late to do so; undefined on success
   */
  hide?(): Promise<string | undefined>;
  /**
   * Calls the listener for each line that code of `POST /function/{id}` writes to its console, until the returned
   * function is called.
   */
  watchCode?(listener: (type: string, text: string) => void): () => void;
  /** Ends the replay that is being recorded. @returns its URL, or in `error` why there is none */
  stopReplay?(): Promise<{ error: string | null; url: string | null }>;
  /** Called with the size that the document has given a page, which a live view may change temporarily. */
  sized?(targetId: string, metrics: CommandParams<'Emulation.setDeviceMetricsOverride'>): void;
  /** The captcha solver, if the operator has configured one, and the accounting of attempts. */
  captchas: CaptchaHelp;
  /** Error message when the client's plan does not include the mutation with these arguments; otherwise undefined. */
  notInPlan(mutation: string, args: Readonly<Record<string, unknown>>): string | undefined;
  /** Product and version of the default browser. */
  browserVersion(): Promise<string>;
  /** Limit of the text in the response to one document, in characters; 0 for none. */
  responseLimit: number;
  /** Version of this service. */
  version: string;
  log: Log;
  tracing: Tracing;
}
