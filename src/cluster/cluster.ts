/**
 * Passes calls on to the server of the cluster that has what they are about. Ids of sessions and live views name their
 * server, so that any server can take a call for any of them; for what has no such id, the servers ask each other. A call
 * is passed on once; the server that gets it checks the caller's token itself.
 */
import type { Config } from '../config/config.ts';
import { clusterLimits } from '../limits.ts';
import { orAborted, startDeadline } from '../runtime/deadline.ts';
import type { SocketJoin } from '../runtime/http/socket-join.ts';
import { NotReached, type OnAddress, OtherServers } from './other-servers.ts';
import type { ClientUpgrade } from '../runtime/http/upgrade.ts';
import { isNodeName } from '../runtime/ids.ts';
import type { Log } from '../telemetry/log.ts';
import { ListedNodes } from './listed-nodes.ts';
import { nodeGone, nodeUnreachable } from './node-gone.ts';
import { nodeHeader, type Sender, senderOf, signNode } from './node-header.ts';
import { NodeWatch } from './node-watch.ts';
import type { Nodes } from './nodes.ts';
import { holdsPath, namePath } from './paths.ts';
import type { Subject } from './subject.ts';

export interface ClusterOptions extends Pick<Config, 'CLUSTER_NODES'> {
  /** The name of this server. */
  readonly node: string;
  readonly NODE_URL: string;
  readonly CLUSTER_SECRET: string;
  /** Finds the others; undefined for those of CLUSTER_NODES. */
  readonly nodes: Nodes | undefined;
}

/** A request that is passed on, and for whom. */
export interface Passed {
  request: Request;
  /** IP address of its client. */
  client: string | undefined;
  /** Id of a claim on a slot of the other server. */
  claim?: string | undefined;
}

export class Cluster {
  readonly node: string;
  readonly #secret: string;
  readonly #servers: OtherServers;
  readonly #nodes: Nodes;
  readonly #watch: NodeWatch;
  readonly #log: Log;
  /** Calls that wait for another server, and sockets that are joined with one. */
  readonly #passed = new Set<Promise<unknown>>();
  readonly #sockets = new Set<SocketJoin>();
  /** Callers without a token of the server for whom the others are asked now. */
  #guests = 0;

  /** @param onAddress told of the addresses at which the other servers listen: pages must not reach them */
  constructor(options: ClusterOptions, log: Log, onAddress: OnAddress) {
    const { node, NODE_URL, CLUSTER_NODES, CLUSTER_SECRET, nodes } = options;
    this.node = node;
    this.#secret = CLUSTER_SECRET;
    this.#log = log;
    this.#servers = new OtherServers(onAddress);
    const own = new URL(NODE_URL).href;
    const others = CLUSTER_NODES.map((each) => new URL(each)).filter(({ href }) => href !== own);
    for (const { hostname, port } of others) onAddress(hostname, Number(port || 80));
    this.#nodes = nodes ?? new ListedNodes(others, (address, signal) => this.#nameOf(address, signal));
    this.#watch = new NodeWatch(async (address, signal) => (await this.#nameOf(address, signal)) !== undefined);
  }

  /** Undefined for a request of anybody but a server of the cluster. */
  senderOf(request: Request): Sender | undefined {
    return senderOf(this.#secret, request);
  }

  /**
   * The same for a request that is to be answered. One whose header does not prove anything is answered here alone, as
   * for its own address: servers that do not know each other's secret must not pass it around for ever.
   * @param address IP address that the request comes from
   */
  passedBy(request: Request, address: string | undefined): Sender | undefined {
    const sender = this.senderOf(request);
    return sender ?? (request.headers.has(nodeHeader) ? { client: address, claim: undefined } : undefined);
  }

  /** True for the name of another server; false for undefined. */
  isOther(node: string | undefined): node is string {
    return node !== undefined && node !== this.node;
  }

  /** Whether a server of this name answers now. @throws the reason of the signal */
  async isThere(node: string, signal: AbortSignal): Promise<boolean> {
    const address = await this.#nodes.addressOf(node, signal);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(clusterLimits.askMs)]);
    const name = address && (await this.#nameOf(address, limit).catch(() => undefined));
    signal.throwIfAborted();
    return name === node;
  }

  /**
   * Asks the other servers which of them holds something that the caller may use.
   * @returns the name of that server; undefined when none of those that answer in time holds it
   * @throws the reason of the request's signal
   */
  async holderOf({ kind, name }: Subject, { request, client }: Passed): Promise<string | undefined> {
    const { signal } = request;
    const token = new URL(request.url).searchParams.getAll('token');
    const query = new URLSearchParams([['kind', kind], ['name', name], ...token.map((each) => ['token', each])]);
    const authorization = request.headers.get('authorization');
    const headers = authorization === null ? {} : { Authorization: authorization };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(clusterLimits.askMs)]);
    const others = await orAborted(this.#nodes.others(), signal);
    const asked = others.map(async (address) => {
      const question = new Request(new URL(`${holdsPath}?${query.toString()}`, address), { headers });
      const { node, holds } = await this.#ask(address, question, client, limit);
      if (holds !== true || typeof node !== 'string' || !isNodeName(node)) throw new Error('it does not hold it');
      return node;
    });
    const holder = await Promise.any(asked).catch(() => undefined);
    signal.throwIfAborted();
    return holder;
  }

  /** The same for a caller whose token this server does not know; few of these are asked at a time. */
  async guestHolderOf(subject: Subject, passed: Passed): Promise<string | undefined> {
    if (this.#guests >= clusterLimits.guestsAtOnce) return undefined;
    this.#guests++;
    try {
      return await this.holderOf(subject, passed);
    } finally {
      this.#guests--;
    }
  }

  /**
   * Has each other server answer a request, whose body nobody reads, with JSON.
   * @param read reads an answer; what it throws counts as no answer
   * @returns what was read, and undefined for each server that did not answer well in time
   * @throws ServiceError `registry-down` while the others are not known; the reason of the request's signal
   */
  async askAll<Answer>(
    { request, client }: Passed,
    read: (response: Response) => Promise<Answer>,
  ): Promise<({ answer: Answer } | undefined)[]> {
    const { signal, url } = request;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    // Those of the body stay here: another server would wait for that.
    const told = [...request.headers].filter(([name]) => ofCaller.test(name));
    const headers = { ...Object.fromEntries(told), Accept: 'application/json' };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(clusterLimits.allMs)]);
    const waiting = [...(await orAborted(this.#nodes.others(), signal))];
    const answers: ({ answer: Answer } | undefined)[] = [];
    const askNext = async (): Promise<void> => {
      for (let address = waiting.pop(); address; address = waiting.pop()) {
        const question = new Request(url, { method, headers });
        const own = this.#headers(question, { client, claim: undefined });
        const asking = this.#servers.passOn(address, question, own, limit).then(async (response) => {
          if (response.ok) return { answer: await read(response) };
          await response.body?.cancel();
          return undefined;
        });
        answers.push(await orAborted(asking, limit).catch(() => undefined));
      }
    };
    await Promise.all(Array.from({ length: clusterLimits.askedAtOnce }, askNext));
    signal.throwIfAborted();
    return answers;
  }

  /**
   * Has another server answer a request.
   * @throws ServiceError `node-gone`, `node-unreachable`; the reason of the request's signal
   */
  async passOn(node: string, { request, client, claim }: Passed): Promise<Response> {
    const headers = this.#headers(request, { client, claim });
    return this.#reach(node, request.signal, (address, signal) =>
      this.#servers.passOn(address, request, headers, signal),
    );
  }

  /** The same for a WebSocket. @returns the open socket, or the answer that refuses it */
  async passUpgradeOn(
    node: string,
    { request, client, claim }: Passed,
    upgrade: ClientUpgrade,
  ): Promise<Response | SocketJoin> {
    const { pathname, search } = new URL(request.url);
    const own = this.#headers(request, { client, claim });
    const target = `${pathname}${search}`;
    return this.#reach(node, request.signal, async (to, signal) => {
      const opened = await upgrade.passOn(
        (headers) => this.#servers.passUpgradeOn(to, target, { ...headers, ...own }, signal),
        hooks,
      );
      if (opened instanceof Response) return opened;
      const watching = this.#watch.begin(to);
      watching.lost.addEventListener('abort', () => opened.close(serverIsGone), { once: true });
      this.#sockets.add(opened);
      void opened.ended.finally(() => {
        watching[Symbol.dispose]();
        this.#sockets.delete(opened);
      });
      return opened;
    });
  }

  /**
   * Waits until no call is passed on any more. Sockets get some time of it, and are told then to connect again: their
   * sessions go on.
   * @param socketsMs 0 is none
   * @throws the reason of the signal; sockets are told then too
   */
  async drain(socketsMs: number, signal: AbortSignal): Promise<void> {
    const tell = () => this.#sockets.forEach((each) => each.close(serverStops));
    using time = startDeadline(Math.max(1, socketsMs), () => undefined, [signal]);
    time.signal.addEventListener('abort', tell, { once: true });
    // What waits for a slot is passed on when it has one.
    while (this.#passed.size + this.#sockets.size > 0) {
      if (time.signal.aborted) tell();
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
    const reaching = reach(address, AbortSignal.any([signal, watching.lost]));
    this.#passed.add(reaching);
    try {
      return await reaching;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof NotReached) && !watching.lost.aborted) throw error;
      this.#log.warn('cluster.not-reached', { node, address: address.origin, cause: error });
      const isGone = (error instanceof NotReached && error.isGone) || (await this.#nodes.hasLeft(node));
      throw isGone ? nodeGone() : nodeUnreachable();
    } finally {
      this.#passed.delete(reaching);
    }
  }

  async #nameOf(address: URL, signal: AbortSignal): Promise<string | undefined> {
    const { node } = await this.#ask(address, new Request(new URL(namePath, address)), undefined, signal);
    return typeof node === 'string' && isNodeName(node) ? node : undefined;
  }

  /** @throws NotReached; the reason of the signal; Error for an answer that is none */
  async #ask(
    address: URL,
    question: Request,
    client: string | undefined,
    signal: AbortSignal,
  ): Promise<{ node?: unknown; holds?: unknown }> {
    const answer = await this.#servers.passOn(
      address,
      question,
      this.#headers(question, { client, claim: undefined }),
      signal,
    );
    if (!answer.ok) {
      const reason = (await answer.text()).slice(0, 300);
      this.#log.warn('cluster.refused', { address: address.origin, status: answer.status, reason });
      throw new Error(`${address.origin} answered ${answer.status}`);
    }
    const said: unknown = await answer.json();
    return said !== null && typeof said === 'object' ? said : {};
  }
}

/** Headers that say who calls, and by which address. */
const ofCaller = /^(?:authorization|host|forwarded|x-forwarded-.+)$/;

const serverStops = { code: 1001, reason: 'The server is stopping. Connect again: another server takes it.' };
const serverIsGone = { code: 1001, reason: 'The server that has this session is gone.' };

const hooks = {
  onServerEnd: () => Promise.resolve(serverIsGone),
  pingEveryMs: clusterLimits.pingEveryMs,
};
