// Forwards requests to the server in the cluster that holds the resource they address. Ids of sessions and live views
// contain the name of their server, so that any server can accept a request for any of them; for resources without such
// an id, the servers ask each other. A request is forwarded once; the receiving server checks the client's token
// itself. This file is long because every path to another server goes through the same proof of the secret.
import { isIP } from 'node:net';
import type { Config } from '../../base/config/config.ts';
import { clusterLimits, registryLimits } from '../../base/limits.ts';
import { ownAddresses } from '../../base/runtime/machine.ts';
import { orAborted, startDeadline } from '../../base/runtime/deadline.ts';
import { type OpenedSocket, SocketBridge } from '../../base/runtime/http/socket-bridge.ts';
import { readLimitedText } from '../../base/runtime/bytes.ts';
import { UnreachableError, type AddressListener, OtherServers } from './other-servers.ts';
import type { TextSocket } from '../../base/runtime/http/text-socket.ts';
import type { Log } from '../../base/telemetry/log.ts';
import { ListedNodes } from './listed-nodes.ts';
import { holdsPath, namePath, nodeGone, type Nodes, nodeUnreachable, type ResourceRef } from './nodes.ts';
import { nodeHeader, type Sender, senderOf, signNode } from './node-header.ts';
import { NodeWatch } from './node-watch.ts';
import { readIntroduction, signIntroduction } from './proof.ts';

export interface ClusterOptions extends Pick<Config, 'CLUSTER_NODES' | 'HOST' | 'PORT'> {
  /** The name of this server. */
  readonly node: string;
  readonly NODE_URL: string;
  readonly CLUSTER_SECRET: string;
  /** Finds the other servers; undefined to use CLUSTER_NODES. */
  readonly nodes: Nodes | undefined;
}

/** A request to forward, and its client. */
export interface ForwardedRequest {
  request: Request;
  /** IP address of the client. */
  client: string | undefined;
  /** Id of a claim on a slot of the receiving server. */
  claim?: string | undefined;
}

export class Cluster {
  readonly node: string;
  readonly #options: ClusterOptions;
  readonly #secret: string;
  readonly #onAddress: AddressListener;
  readonly #servers: OtherServers;
  readonly #nodes: Nodes;
  readonly #watch: NodeWatch;
  readonly #log: Log;
  /** Servers that have proven that they have the secret, by origin, with the `performance.now()` time of the proof. */
  readonly #proven = new Map<string, { node: string; at: number }>();
  /** Requests for a proof that are in flight. */
  readonly #proving = new Map<string, Promise<string>>();
  /** Requests that are waiting for another server, and sockets that are joined to one. */
  readonly #passed = new Set<Promise<unknown>>();
  readonly #sockets = new Set<SocketBridge>();
  /** Lookups in flight for clients whose token this server does not know, by IP address. */
  readonly #guests = new Map<string, number>();

  /** @param onAddress called with the addresses where the other servers listen: pages must not reach them */
  constructor(options: ClusterOptions, log: Log, onAddress: AddressListener) {
    const { node, NODE_URL, CLUSTER_NODES, CLUSTER_SECRET, nodes } = options;
    this.node = node;
    this.#options = options;
    this.#secret = CLUSTER_SECRET;
    this.#onAddress = onAddress;
    this.#log = log;
    this.#servers = new OtherServers(onAddress);
    const own = new URL(NODE_URL).href;
    const others = CLUSTER_NODES.map((each) => new URL(each)).filter(({ href }) => href !== own);
    for (const { hostname, port } of others) onAddress(hostname, Number(port || 80));
    this.#nodes = nodes ?? new ListedNodes(others, (address, signal) => this.#askForProof(address, signal));
    this.#watch = new NodeWatch((address, signal) => this.#askForProof(address, signal).then(() => true));
  }

  /** Returns undefined for a request that was not sent by a server in the cluster. */
  senderOf(request: Request): Sender | undefined {
    return senderOf(this.#secret, request);
  }

  /**
   * Like `senderOf`, for a request that must be served. A request whose header proves nothing is served by this server
   * only, as if from its own address: servers that do not know each other's secret must not forward it in circles.
   * @param address the IP address that the request comes from
   */
  passedBy(request: Request, address: string | undefined): Sender | undefined {
    const sender = this.senderOf(request);
    return sender ?? (request.headers.has(nodeHeader) ? { client: address, claim: undefined } : undefined);
  }

  /** The response to another server that asks for a proof. @param nonce the nonce of the question */
  introduce(nonce: string): object {
    const { HOST, PORT, NODE_URL } = this.#options;
    const isAny = ['0.0.0.0', '::'].includes(HOST);
    const addresses = isAny ? ownAddresses().filter((each) => !/^(?:127\.|::1$)/.test(each)) : [HOST];
    const listens = addresses.filter((each) => isIP(each) !== 0).map((each) => `${each} ${PORT}`);
    return signIntroduction(this.#secret, nonce, new URL(NODE_URL).origin, { node: this.node, listens });
  }

  /** Learns where the other servers listen, now and periodically: pages must not reach them there. */
  start(): void {
    void this.#meet();
    setInterval(() => void this.#meet(), clusterLimits.meetEveryMs).unref();
  }

  async #meet(): Promise<void> {
    const others = await this.#nodes.others().catch(() => []);
    if (others.length > registryLimits.knownServers) return;
    const limit = AbortSignal.timeout(clusterLimits.askMs);
    await Promise.allSettled(others.map((address) => this.#proofOf(address, limit)));
  }

  /** True for the name of another server; false for undefined. */
  isOther(node: string | undefined): node is string {
    return node !== undefined && node !== this.node;
  }

  /** Whether a server with this name responds now. @throws the signal's abort reason */
  async isThere(node: string, signal: AbortSignal): Promise<boolean> {
    const address = await this.#nodes.addressOf(node, signal);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(clusterLimits.askMs)]);
    const name = address && (await this.#proofOf(address, limit).catch(() => undefined));
    signal.throwIfAborted();
    return name === node;
  }

  /**
   * Asks the other servers which of them holds a resource that the client may use.
   * @returns the name of that server; undefined when none of the servers that respond in time holds it
   * @throws the abort reason of the request's signal
   */
  async holderOf(subject: ResourceRef, passed: ForwardedRequest): Promise<string | undefined> {
    return this.#holderAmong(await orAborted(this.#nodes.others(), passed.request.signal), subject, passed);
  }

  async #holderAmong(
    others: readonly URL[],
    { kind, name }: ResourceRef,
    { request, client }: ForwardedRequest,
  ): Promise<string | undefined> {
    const { signal } = request;
    const token = new URL(request.url).searchParams.getAll('token');
    const query = new URLSearchParams([['kind', kind], ['name', name], ...token.map((each) => ['token', each])]);
    const authorization = request.headers.get('authorization');
    const headers = authorization === null ? {} : { Authorization: authorization };
    const asked = others.map(async (address) => {
      const node = await this.#proofOf(address, signal);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(clusterLimits.askMs)]);
      const question = new Request(new URL(`${holdsPath}?${query.toString()}`, address), { headers });
      const { holds } = await this.#ask(address, question, client, limit);
      if (holds !== true) throw new Error('the server does not hold it');
      return node;
    });
    const holder = await Promise.any(asked).catch(() => undefined);
    signal.throwIfAborted();
    return holder;
  }

  /**
   * Like `holderOf`, for a client whose token this server does not know; the number of concurrent lookups is limited.
   * @param node the name of the only server to ask; undefined to ask all
   */
  async guestHolderOf(subject: ResourceRef, passed: ForwardedRequest, node?: string): Promise<string | undefined> {
    const from = passed.client ?? '';
    const own = this.#guests.get(from) ?? 0;
    const all = [...this.#guests.values()].reduce((sum, count) => sum + count, 0);
    if (own >= clusterLimits.guestsOfAddress || all >= clusterLimits.guestsAtOnce) return undefined;
    this.#guests.set(from, own + 1);
    try {
      if (node === undefined) return await this.holderOf(subject, passed);
      const address = await this.#nodes.addressOf(node, passed.request.signal);
      return address && (await this.#holderAmong([address], subject, passed));
    } finally {
      const left = (this.#guests.get(from) ?? 1) - 1;
      if (left > 0) this.#guests.set(from, left);
      else this.#guests.delete(from);
    }
  }

  /**
   * Sends a request, whose body is not read, to every other server and asks for JSON.
   * @param read reads a response; when it throws, the server is treated as not having responded
   * @returns the values read, and undefined for each server that did not respond successfully in time
   * @throws ServiceError `registry-down` while the other servers are unknown; the abort reason of the request's signal
   */
  async askAll<Answer>(
    { request, client }: ForwardedRequest,
    read: (response: Response) => Promise<Answer>,
  ): Promise<({ answer: Answer } | undefined)[]> {
    const { signal, url } = request;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    // Do not send the headers that describe the body: another server would wait for that body.
    const told = [...request.headers].filter(([name]) => clientHeaders.test(name));
    const headers = { ...Object.fromEntries(told), Accept: 'application/json' };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(clusterLimits.allMs)]);
    const waiting = [...(await orAborted(this.#nodes.others(), signal))];
    const answers: ({ answer: Answer } | undefined)[] = [];
    const askNext = async (): Promise<void> => {
      for (let address = waiting.pop(); address; address = waiting.pop()) {
        const question = new Request(url, { method, headers });
        const own = this.#headers(question, { client, claim: undefined });
        const ask = async () => {
          await this.#proofOf(address, limit);
          const response = await this.#servers.passOn(address, question, own, limit);
          if (response.ok) return { answer: await read(response) };
          await response.body?.cancel();
          return undefined;
        };
        answers.push(await orAborted(ask(), limit).catch(() => undefined));
      }
    };
    await Promise.all(Array.from({ length: clusterLimits.askedAtOnce }, askNext));
    signal.throwIfAborted();
    return answers;
  }

  /**
   * Forwards a request to another server.
   * @throws ServiceError `node-gone`, `node-unreachable`; the abort reason of the request's signal
   */
  async forward(node: string, { request, client, claim }: ForwardedRequest): Promise<Response> {
    const headers = this.#headers(request, { client, claim });
    return this.#reach(node, request.signal, (address, signal) =>
      this.#servers.passOn(address, request, headers, signal),
    );
  }

  /**
   * Like `forward`, for a WebSocket.
   * @param accept opens the client's socket once the other server has opened its own
   * @returns the open sockets, or the response that refuses the client
   */
  async forwardUpgrade(
    node: string,
    { request, client: from, claim }: ForwardedRequest,
    accept: (opened: OpenedSocket) => TextSocket,
  ): Promise<Response | SocketBridge> {
    const own = this.#headers(request, { client: from, claim });
    return this.#reach(node, request.signal, async (to, signal) => {
      const opened = await this.#servers.passUpgradeOn(to, request, own, signal);
      if (opened instanceof Response) return opened;
      const bridge = new SocketBridge(opened, () => accept(opened), {
        onServerEnd: () => Promise.resolve(serverIsGone),
      });
      const watching = this.#watch.begin(to);
      watching.lost.addEventListener('abort', () => bridge.close(serverIsGone), { once: true });
      this.#sockets.add(bridge);
      void bridge.ended.finally(() => {
        watching[Symbol.dispose]();
        this.#sockets.delete(bridge);
      });
      return bridge;
    });
  }

  /**
   * Waits until all forwarded requests have finished. Sockets may use part of that time and are then told to reconnect:
   * their sessions continue.
   * @param socketsMs time for the sockets in ms; 0 for none
   * @throws the signal's abort reason; sockets are told to reconnect in that case too
   */
  async drain(socketsMs: number, signal: AbortSignal): Promise<void> {
    const closeSockets = () => this.#sockets.forEach((each) => each.close(serverStops));
    using time = startDeadline(Math.max(1, socketsMs), () => undefined, [signal]);
    time.signal.addEventListener('abort', closeSockets, { once: true });
    // Requests that wait for a slot are forwarded once they have one, so check again.
    while (this.#passed.size + this.#sockets.size > 0) {
      if (time.signal.aborted) closeSockets();
      const ends = [...this.#passed, ...[...this.#sockets].map(({ ended }) => ended)];
      await orAborted(Promise.allSettled(ends), signal);
    }
  }

  #headers(request: Request, sender: Sender): Record<string, string> {
    const { pathname, search } = new URL(request.url);
    return { [nodeHeader]: signNode(this.#secret, request.method, `${pathname}${search}`, sender) };
  }

  async #reach<Result>(
    node: string,
    signal: AbortSignal,
    reach: (address: URL, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const address = await this.#nodes.addressOf(node, signal);
    if (!address) throw nodeGone();
    using watching = this.#watch.begin(address);
    const limit = AbortSignal.any([signal, watching.lost]);
    const reachProven = async () => {
      if ((await this.#proofOf(address, limit)) !== node) throw nodeGone();
      return reach(address, limit);
    };
    const reaching = reachProven();
    this.#passed.add(reaching);
    try {
      return await reaching;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UnreachableError) && !watching.lost.aborted) throw error;
      this.#log.warn('cluster.not-reached', { node, address: address.origin, cause: error });
      const isGone = (error instanceof UnreachableError && error.isGone) || (await this.#nodes.hasLeft(node));
      throw isGone ? nodeGone() : nodeUnreachable();
    } finally {
      this.#passed.delete(reaching);
    }
  }

  /**
   * The name of the server at a URL, which has recently proven that it has the secret.
   * @throws UnreachableError when no server there proves it; the signal's abort reason
   */
  async #proofOf(address: URL, signal: AbortSignal): Promise<string> {
    const known = this.#proven.get(address.origin);
    if (known && performance.now() - known.at < clusterLimits.provenMs) return known.node;
    const asking =
      this.#proving.get(address.origin) ?? this.#askForProof(address, AbortSignal.timeout(clusterLimits.askMs));
    this.#proving.set(address.origin, asking);
    try {
      return await orAborted(asking, signal);
    } finally {
      if (this.#proving.get(address.origin) === asking) this.#proving.delete(address.origin);
    }
  }

  /** @throws the errors documented for `#proofOf` */
  async #askForProof(address: URL, signal: AbortSignal): Promise<string> {
    const { origin } = address;
    const nonce = crypto.randomUUID();
    const question = new Request(new URL(`${namePath}?nonce=${nonce}`, address));
    const answer = await this.#ask(address, question, undefined, signal);
    const said = readIntroduction(this.#secret, nonce, origin, answer);
    if (said === undefined) {
      this.#proven.delete(origin);
      this.#log.warn('cluster.not-proven', { address: origin });
      throw new UnreachableError(new Error(`the server at ${origin} has a different CLUSTER_SECRET or NODE_URL`));
    }
    for (const each of said.listens) {
      const [host = '', port] = each.split(' ');
      this.#onAddress(host, Number(port));
    }
    this.#proven.set(origin, { node: said.node, at: performance.now() });
    return said.node;
  }

  /** @throws UnreachableError, also when the response cannot be read; the signal's abort reason */
  async #ask(
    address: URL,
    question: Request,
    client: string | undefined,
    signal: AbortSignal,
  ): Promise<{ holds?: unknown }> {
    const answer = await this.#servers.passOn(
      address,
      question,
      this.#headers(question, { client, claim: undefined }),
      signal,
    );
    try {
      const text = await readLimitedText(
        answer.body,
        clusterLimits.answerBytes,
        () => new Error('the response is too long'),
      );
      if (!answer.ok) throw new Error(text.slice(0, 300));
      const said: unknown = JSON.parse(text);
      return said !== null && typeof said === 'object' ? said : {};
    } catch (cause) {
      signal.throwIfAborted();
      const { origin } = address;
      this.#log.warn('cluster.refused', { address: origin, status: answer.status, reason: String(cause) });
      throw new UnreachableError(new Error(`${origin} responded with status ${answer.status}`));
    }
  }
}

/** Headers that identify the client and the address it used. */
const clientHeaders = /^(?:authorization|host|forwarded|x-forwarded-.+)$/;

const serverStops = { code: 1001, reason: 'The server is stopping. Connect again: another server takes it.' };
const serverIsGone = { code: 1001, reason: 'The server that has this session is gone.' };
