/** What the routes lend to a document: the server's rules and knowledge, so that the language needs no server. */
import type { ServiceError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';

/** Where a browser that is kept can be found again, without a token. */
export interface Endpoints {
  browserQLEndpoint: string;
  browserWSEndpoint: string;
  devtoolsFrontendUrl: string;
  webSocketDebuggerUrl: string;
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
  /** A local address in front of it, without a password. */
  server: string;
  /** Whether certificates of sites that nobody trusts are taken. */
  insecure: boolean;
}

export interface BqlEnvironment {
  /** @throws ServiceError for an address that may not be opened; `field` is named in the message */
  checkUrl(text: string, field: string): URL;
  /** Whether a document or sub-resource of this address may be loaded. */
  allowsUrl(url: string): boolean;
  /** Why an address could not be reached, when Chromium only knows that the proxy said no. */
  explain(url: string): ServiceError | undefined;
  /** Where an address was last reached. */
  addressOf(url: string): { ip: string; port: number } | undefined;
  /**
   * Opens a proxy of the document's choice, or one of the operator's provider.
   * @throws ServiceError for one that is none, is not configured or cannot be reached
   */
  openProxy(options: ProxyOptions): Promise<OpenProxy>;
  /**
   * Keeps the browser for a time in milliseconds after the document, and tells where it is.
   * @param targetId the page that is current
   * @throws ServiceError when the time is too long
   */
  reconnect?(timeoutMs: number, targetId: string): Promise<Endpoints>;
  /** Product and version of the browser of default requests. */
  browserVersion(): Promise<string>;
  /** Text that the answer to one document may hold, in characters; 0 for no limit. */
  answerLimit: number;
  /** Version of this service. */
  version: string;
  log: Log;
}
