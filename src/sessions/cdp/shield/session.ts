/**
 * Handles one session of a client behind the shield: responds to `Runtime.enable` in place of the browser, and keeps
 * `Page` and `Console` enabled for its own use, whether the client has enabled them or not.
 */
import { ProtocolError } from '../../../browser/cdp/connection.ts';
import { responseIdOf, isCostly, methodOf, type RawMessage, textOf } from '../../../browser/cdp/raw-message.ts';
import { Bindings } from './bindings.ts';
import { ConsoleRelay } from './console.ts';
import { Contexts, type FrameInfo } from './contexts.ts';
import { Order } from './order.ts';
import { type ClientCommand, messageOf, type SharedTools } from './sides.ts';
import { ShieldLimitExceeded } from './limits.ts';

/** The kind of a session's target; `unknown` until the browser has been asked for its frames. */
export type SessionKind = 'page' | 'worker' | 'unknown';

/** A client command whose response reports a world; without a frame, the world was created in all documents. */
interface AwaitedWorld {
  frameId: string | undefined;
  world: string;
}

export class ShieldedSession {
  readonly #id: string;
  readonly #tools: SharedTools;
  readonly #contexts: Contexts;
  readonly #bindings: Bindings;
  readonly #console: ConsoleRelay;
  readonly #awaited = new Map<number, AwaitedWorld>();
  #kind: SessionKind;
  /** True while the target has not started: it responds once a client lets it run. */
  #waiting: boolean;
  #dialogOpen = false;
  #enabled = false;
  #open = false;
  /** `Runtime.enable` commands that wait for the first contexts. */
  #enabling: ClientCommand[] | undefined;
  /** Whether the client itself has enabled a domain. */
  readonly #client = { Page: false, Console: false };
  readonly #order: Order;

  constructor(id: string, kind: SessionKind, waiting: boolean, tools: SharedTools) {
    this.#id = id;
    this.#kind = kind;
    this.#waiting = waiting;
    this.#tools = tools;
    const { own, limits } = tools;
    const emit = (method: string, params: object) => tools.endpoints.emit(id, method, params);
    this.#bindings = new Bindings(id, own, limits);
    this.#contexts = new Contexts({ sessionId: id, own, limits, bindings: this.#bindings, emit });
    this.#console = new ConsoleRelay(limits, (params) => emit('Runtime.consoleAPICalled', params));
    this.#order = new Order({
      tools,
      handle: (message, beginning) => this.#handle(message, beginning),
      stopped: () => this.#waiting || this.#dialogOpen,
      failed: (reason) => this.#fallOpen(reason),
    });
  }

  /** Handles a client command. @returns false for a command that must be forwarded to the browser */
  take(command: ClientCommand): boolean {
    if (this.#open) return false;
    try {
      return this.#take(command);
    } catch (error) {
      if (!(error instanceof ShieldLimitExceeded)) throw error;
      this.#fallOpen(error.message);
      return false;
    }
  }

  #take(command: ClientCommand): boolean {
    const { method, params, id } = command;
    switch (method) {
      case 'Runtime.enable':
        this.#enable(command);
        return true;
      case 'Runtime.disable':
        this.#disable(command);
        return true;
      case 'Runtime.addBinding':
        this.#bindings.add(params, this.#kind !== 'worker');
        return false;
      case 'Runtime.removeBinding':
        this.#bindings.remove(String(params['name']));
        return false;
      case 'Runtime.runIfWaitingForDebugger':
        this.#waiting = false;
        return false;
      case 'Page.createIsolatedWorld':
        this.#await(id, { frameId: String(params['frameId']), world: String(params['worldName'] ?? '') });
        return false;
      case 'Page.addScriptToEvaluateOnNewDocument': {
        const { worldName: world } = params;
        if (typeof world !== 'string' || world === '') return false;
        this.#contexts.addWorld(world);
        if (params['runImmediately'] === true) this.#await(id, { frameId: undefined, world });
        return false;
      }
      case 'Page.enable':
      case 'Page.disable':
        return this.#toggle('Page', command);
      case 'Console.enable':
      case 'Console.disable':
        return this.#toggle('Console', command);
      default:
        return false;
    }
  }

  #await(id: number, world: AwaitedWorld): void {
    if (this.#awaited.size >= this.#tools.limits.pendingResponses)
      throw new ShieldLimitExceeded('commands without a response');
    this.#awaited.set(id, world);
  }

  /** Keeps a domain that the client disables enabled in the browser while the shield needs it. */
  #toggle(domain: 'Page' | 'Console', command: ClientCommand): boolean {
    this.#client[domain] = command.method.endsWith('.enable');
    if (this.#client[domain] || !this.#enabled) return false;
    this.#tools.endpoints.reply(command, { result: {} });
    return true;
  }

  #enable(command: ClientCommand): void {
    if (this.#enabling) this.#enabling.push(command);
    else if (this.#enabled) this.#tools.endpoints.reply(command, { result: {} });
    else {
      this.#enabled = true;
      const commands = (this.#enabling = [command]);
      this.#order.lookUp(() => this.#start(commands));
    }
  }

  #disable(command: ClientCommand): void {
    this.#answerEnabling(this.#enabling);
    if (this.#enabled) this.#restoreDomains();
    this.#enabled = false;
    this.#contexts.stop();
    this.#bindings.removeAll();
    this.#console.forget();
    this.#tools.endpoints.reply(command, { result: {} });
  }

  /** Disables the domains that the client has not enabled in the browser. */
  #restoreDomains(): void {
    const { own } = this.#tools;
    if (!this.#client.Console) own.sendAndForget(this.#id, 'Console.disable', {});
    if (!this.#client.Page && this.#kind === 'page') own.sendAndForget(this.#id, 'Page.disable', {});
  }

  /** Announces the existing contexts, then responds. */
  async #start(commands: ClientCommand[]): Promise<void> {
    const { own } = this.#tools;
    // Responses to earlier commands have arrived by then; the client sees later messages after the contexts.
    const answered = () => this.#order.hold();
    if (this.#kind !== 'worker') {
      if (!this.#client.Page) own.sendAndForget(this.#id, 'Page.enable', {});
      const tree = own.send(this.#id, 'Page.getFrameTree', {}, answered).catch((error: unknown) => {
        if (this.#kind === 'page' || !(error instanceof ProtocolError)) throw error;
        return undefined;
      });
      const frames = await tree;
      this.#kind = frames ? 'page' : 'worker';
      if (frames) await this.#contexts.start(frames.frameTree);
    }
    if (this.#kind === 'worker') await this.#contexts.startWorker(answered);
    this.#answerEnabling(commands);
    if (this.#enabled) own.sendAndForget(this.#id, 'Console.enable', {});
    this.#flushConsole();
  }

  #answerEnabling(commands: ClientCommand[] | undefined): void {
    if (commands === undefined || this.#enabling !== commands) return;
    this.#enabling = undefined;
    for (const command of commands) this.#tools.endpoints.reply(command, { result: {} });
  }

  #flushConsole(): void {
    if (this.#contexts.main !== undefined) this.#console.flush(this.#contexts.main);
  }

  /** Handles a browser message: the client receives it now, after the waiting messages, or not at all. */
  receive(message: RawMessage, beginning: string): void {
    this.#order.receive(message, beginning);
  }

  #handle(message: RawMessage, beginning: string): void {
    const method = methodOf(beginning);
    const { endpoints, names } = this.#tools;
    if (method === 'Runtime.bindingCalled')
      return endpoints.deliver(messageOf(names.toClient(textOf(message))), this.#id);
    if (this.#open) return this.#deliver(message);
    switch (method) {
      case undefined:
        if (this.#awaited.size > 0) this.#noteWorld(message, beginning);
        break;
      case 'Page.frameNavigated':
        return this.#navigated(message);
      case 'Page.frameDetached': {
        this.#deliver(message, 'Page');
        const { params } = JSON.parse(textOf(message)) as { params: { frameId: string } }; // The browser wrote it.
        return this.#contexts.detached(params.frameId);
      }
      case 'Inspector.targetCrashed':
        // Nothing responds any longer, until a new document loads.
        this.#tools.own.abandon(this.#id);
        break;
      case 'Page.javascriptDialogOpening':
        this.#dialogOpen = true;
        if (this.#enabled && !this.#client.Page) this.#closeDialog(message);
        break;
      case 'Page.javascriptDialogClosed':
        this.#dialogOpen = false;
        break;
      case 'Console.messageAdded':
        if (this.#enabled && !isCostly(message)) this.#console.hear(textOf(message), this.#contexts.main);
        return this.#deliver(message, 'Console');
    }
    this.#deliver(message, method?.startsWith('Page.') ? 'Page' : undefined);
  }

  /** @param domain a domain whose events the client receives only if it has enabled the domain */
  #deliver(message: RawMessage, domain?: 'Page' | 'Console'): void {
    if (domain === undefined || this.#client[domain]) this.#tools.endpoints.deliver(message, this.#id);
  }

  #navigated(message: RawMessage): void {
    if (!this.#contexts.started) return this.#deliver(message, 'Page');
    const { params } = JSON.parse(textOf(message)) as { params: { frame: FrameInfo } }; // The browser wrote it.
    this.#contexts.leaving(params.frame);
    this.#deliver(message, 'Page');
    this.#order.hold();
    this.#order.lookUp(async () => {
      await this.#contexts.arrived(params.frame);
      this.#flushConsole();
    });
  }

  /** Closes a dialog, as a browser does itself while no client has enabled `Page`. */
  #closeDialog(message: RawMessage): void {
    // A beforeunload dialog contains no text of the page, so its message is never long.
    const read = () => JSON.parse(textOf(message)) as { params: { type: string } }; // The browser wrote it.
    const accept = !isCostly(message) && read().params.type === 'beforeunload';
    this.#tools.own.sendAndForget(this.#id, 'Page.handleJavaScriptDialog', { accept });
  }

  /** Announces a world that a response reports; the event is sent before the response. */
  #noteWorld(message: RawMessage, beginning: string): void {
    const id = responseIdOf(beginning);
    const awaited = id === undefined ? undefined : this.#awaited.get(id);
    if (id === undefined || !awaited) return;
    this.#awaited.delete(id);
    // The browser wrote it.
    const { result } = JSON.parse(textOf(message)) as { result?: { executionContextId?: number } };
    const { frameId, world } = awaited;
    if (!result) return;
    const { executionContextId } = result;
    if (frameId === undefined) this.#order.lookUp(() => this.#contexts.announceWorld(world));
    else if (executionContextId !== undefined) this.#contexts.worldMade(frameId, world, executionContextId);
  }

  /** Gives up the shield: from now on the browser itself reports contexts, which pages can detect. */
  #fallOpen(reason: string): void {
    if (this.#open) return;
    this.#open = true;
    const { endpoints, own, opened } = this.#tools;
    own.abandon(this.#id);
    if (this.#enabled) {
      this.#restoreDomains();
      const [first, ...others] = this.#enabling ?? [];
      if (first) endpoints.forward(first);
      else own.sendAndForget(this.#id, 'Runtime.enable', {});
      for (const command of others) endpoints.reply(command, { result: {} });
    }
    this.#enabling = undefined;
    opened(reason);
    this.#order.end();
  }

  /** Handles the end of the session. */
  end(): void {
    this.#open = true;
    this.#tools.own.abandon(this.#id);
    this.#order.drop();
  }
}
