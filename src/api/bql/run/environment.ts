/** Declares what a document needs from the server (URL policy, proxies, limits), so that src/api/bql depends on none. */
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

/** What `liveURL` asks for. */
interface LiveLinkRequest {
  /** How long the link works and the browser stays for it, in milliseconds. */
  timeout: number;
  interactive: boolean;
  resizable: boolean;
  /** 1 to 100; undefined for the usual qualities of moving and of resting pages. */
  quality: number | undefined;
  type: 'jpeg' | 'png';
  showBrowserInterface: boolean;
  instructions: string | undefined;
}

/** The link of a live view; whoever has it needs no token. */
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
  /** Address of a local proxy in front of it, which needs no password. */
  server: string;
  /** Whether untrusted TLS certificates of sites are accepted. */
  insecure: boolean;
}

/** Connections of the browser that match go through a proxy. */
interface HostRoute {
  matches(host: string, port: number): boolean;
  proxyServer: string;
}

/** Who may read what the pages of the browser send, because its caller has chosen so. */
export interface Exposure {
  /** A proxy of the caller's own carries the connections. */
  ownProxy: boolean;
  /** Certificates that cannot be verified are accepted. */
  insecure: boolean;
  /** Why no secret may be filled in at all, as a sentence. */
  refusal: string | undefined;
}

export interface BqlEnvironment {
  /** @throws ServiceError for a URL that may not be opened; the message names `field` */
  checkUrl(text: string, field: string): URL;
  /** Whether a document or sub-resource of this URL may be loaded. */
  allowsUrl(url: string): boolean;
  /** The headers of a request that the server makes for a page: with a signature when the operator wants one. */
  signed(url: string, headers: Record<string, string>): Record<string, string>;
  /** Explains why a URL could not be reached, when Chromium only knows that the proxy refused. */
  explain(url: string): ServiceError | undefined;
  /** The error of a step; `storage-full` when a full disk explains it. */
  explainByDisk(error: unknown): Promise<unknown>;
  /** The IP address and port at which a URL was last reached. */
  addressOf(url: string): { ip: string; port: number } | undefined;
  /**
   * Opens the proxy that the document names, or one of the operator's provider.
   * @throws ServiceError for a proxy that is invalid, is not configured or cannot be reached
   */
  openProxy(options: ProxyOptions): Promise<OpenProxy>;
  /**
   * For a stealth browser, whose requests must not be made in its place: sends its connections through proxies by their
   * host. `add` returns what takes the route back; it is undefined where the whole browser has a proxy already.
   */
  stealth?: { routes: { add(route: HostRoute): () => void } | undefined } | undefined;
  /**
   * Keeps the browser for `timeoutMs` milliseconds after the document, and returns its URLs.
   * @param targetId target of the current page
   * @throws ServiceError when the time is too long
   */
  reconnect?(timeoutMs: number, targetId: string): Promise<Endpoints>;
  /**
   * Makes a live view of a page, and keeps the browser for its time after the document.
   * @param targetId target of the current page
   * @param signal of the step: nobody gets the link once it has aborted
   * @throws ServiceError when the browser has too many live views, or the page has gone
   */
  openLive?(targetId: string, request: LiveLinkRequest, signal: AbortSignal): Promise<LiveLink>;
  exposure: Exposure;
  /** A stored secret of the caller; undefined when there is none of this name. @throws ServiceError */
  secret(name: string): Promise<{ value: string; origins: readonly string[] } | undefined>;
  /**
   * Keeps the pages of the browser from everybody but this document, for good: live views, recordings and clients.
   * @returns why that is too late; undefined when it is done
   */
  hide?(): Promise<string | undefined>;
  /** Ends the replay that is being recorded. @returns its address, or why there is none in `error` */
  stopReplay?(): Promise<{ error: string | null; url: string | null }>;
  /** Learns of a size that the document has given a page, which a live view may change for a while. */
  sized?(targetId: string, metrics: CommandParams<'Emulation.setDeviceMetricsOverride'>): void;
  /** A solver of captchas, when the operator has configured one, and the books of what was tried. */
  captchas: CaptchaHelp;
  /** The sentence for a mutation, with these arguments, that the plan of the caller does not include. */
  notInPlan(mutation: string, args: Readonly<Record<string, unknown>>): string | undefined;
  /** Product and version of the default browser. */
  browserVersion(): Promise<string>;
  /** Limit of the text in the response to one document, in characters; 0 for none. */
  answerLimit: number;
  /** Version of this service. */
  version: string;
  log: Log;
  tracing: Tracing;
}
