/**
 * Finds the execution contexts of a session by the ids of objects in them, which no page can detect, and emits the
 * events that `Runtime.enable` would cause. The id of an object is `<isolate>.<context>.<number>`.
 */
import { ProtocolError } from '../../../browser/cdp/connection.ts';
import { type ShieldLimits, ShieldLimitExceeded } from './limits.ts';
import { AbandonedError, type OwnCommands } from './own-commands.ts';
import type { Bindings } from './bindings.ts';

/** The fields read from a frame in `Page.getFrameTree` and `Page.frameNavigated`. */
export interface FrameInfo {
  id: string;
  parentId?: string;
  securityOrigin?: string;
}

export interface FrameTree {
  frame: FrameInfo;
  childFrames?: FrameTree[];
}

interface KnownFrame {
  info: FrameInfo;
  /** Ids of the frame's announced contexts. */
  contexts: Set<number>;
}

interface Context {
  id: number;
  /** The isolated world; undefined for the main world. */
  world: string | undefined;
}

export class Contexts {
  readonly #sessionId: string;
  readonly #own: OwnCommands;
  readonly #limits: ShieldLimits;
  readonly #bindings: Bindings;
  readonly #emit: (method: string, params: object) => void;
  readonly #frames = new Map<string, KnownFrame>();
  /** Worlds that the browser creates in each new document. */
  readonly #worlds = new Set<string>();
  /** Worlds that a client created before it enabled `Runtime`, by frame. */
  readonly #early = new Map<string, Set<string>>();
  #root: string | undefined;
  /** The main context of the main frame, or of the worker; undefined while it is not known. */
  main: number | undefined;
  /** How many times the client has stopped listening. */
  #turn = 0;

  constructor(options: {
    sessionId: string;
    own: OwnCommands;
    limits: ShieldLimits;
    bindings: Bindings;
    emit(method: string, params: object): void;
  }) {
    this.#sessionId = options.sessionId;
    this.#own = options.own;
    this.#limits = options.limits;
    this.#bindings = options.bindings;
    this.#emit = options.emit;
  }

  /** Whether the frames of the session are known. */
  get started(): boolean {
    return this.#root !== undefined;
  }

  /** Records a world that the browser creates in each document from now on. @throws ShieldLimitExceeded */
  addWorld(name: string): void {
    if (this.#worlds.size >= this.#limits.worlds && !this.#worlds.has(name))
      throw new ShieldLimitExceeded('isolated worlds');
    this.#worlds.add(name);
  }

  /** Records a world that a client created in a frame. */
  worldMade(frameId: string, world: string, contextId: number): void {
    const frame = this.#frames.get(frameId);
    if (frame) return this.#announce(frame, [{ id: contextId, world }]);
    if (this.started) return;
    const worlds = this.#early.get(frameId) ?? new Set();
    // A client that creates more worlds than this before it listens is notified only of the first ones.
    if (this.#early.size >= this.#limits.frames || worlds.size >= this.#limits.worlds) return;
    this.#early.set(frameId, worlds.add(world));
  }

  /** Announces the contexts of all frames. @throws any error that the browser returns; ShieldLimitExceeded */
  async start(tree: FrameTree): Promise<void> {
    this.#root = tree.frame.id;
    const frames = framesOf(tree).map((info) => this.#add(info));
    const found = await Promise.all(frames.map((frame) => this.#find(frame)));
    this.#early.clear();
    frames.forEach((frame, at) => this.#announce(frame, found[at] ?? []));
  }

  /** Announces the only context of a worker. @throws any error that the browser returns */
  async startWorker(answered: () => void): Promise<void> {
    const turn = this.#turn;
    const id = await this.#mainContext(answered);
    if (turn !== this.#turn) return;
    this.main = id;
    const context = { id, origin: '', name: '', uniqueId: `${id}.worker`, auxData: { isDefault: true } };
    this.#emit('Runtime.executionContextCreated', { context });
  }

  /** Handles a new document in a frame: the contexts of the previous document no longer exist. */
  leaving(info: FrameInfo): void {
    if (info.parentId === undefined || info.id === this.#root) {
      this.#root = info.id;
      this.#frames.clear();
      this.main = undefined;
      this.#emit('Runtime.executionContextsCleared', {});
    } else this.detached(info.id);
  }

  /** Announces the contexts of the new document. @throws any error that the browser returns; ShieldLimitExceeded */
  async arrived(info: FrameInfo): Promise<void> {
    const frame = this.#add(info);
    this.#announce(frame, await this.#find(frame));
  }

  /** Handles the end of a frame in this session; it may have moved to another session. */
  detached(frameId: string): void {
    for (const id of this.#frames.get(frameId)?.contexts ?? []) {
      const executionContextUniqueId = `${id}.${frameId}`;
      this.#emit('Runtime.executionContextDestroyed', { executionContextId: id, executionContextUniqueId });
    }
    this.#frames.delete(frameId);
  }

  /** Announces a world that was created in all documents at once. @throws any error that the browser returns */
  async announceWorld(world: string): Promise<void> {
    for (const frame of this.#frames.values()) this.#announce(frame, [await this.#world(frame.info.id, world)]);
  }

  /** Forgets everything announced, because the client has stopped listening. */
  stop(): void {
    this.#frames.clear();
    this.#root = undefined;
    this.main = undefined;
    this.#turn++;
  }

  #add(info: FrameInfo): KnownFrame {
    if (this.#frames.size >= this.#limits.frames) throw new ShieldLimitExceeded('frames');
    const frame = { info, contexts: new Set<number>() };
    this.#frames.set(info.id, frame);
    return frame;
  }

  #announce(frame: KnownFrame, found: readonly Context[]): void {
    const { id: frameId, securityOrigin: origin = '' } = frame.info;
    // The frame has a new document by now.
    if (this.#frames.get(frameId) !== frame) return;
    for (const { id, world } of found) {
      if (frame.contexts.has(id)) continue;
      frame.contexts.add(id);
      const isDefault = world === undefined;
      if (isDefault && frameId === this.#root) this.main = id;
      this.#bindings.addTo(id, world);
      const auxData = { isDefault, type: isDefault ? 'default' : 'isolated', frameId };
      const context = { id, origin, name: world ?? '', uniqueId: `${id}.${frameId}`, auxData };
      this.#emit('Runtime.executionContextCreated', { context });
    }
  }

  /** Finds the contexts of a frame; none when the frame no longer belongs to this session. */
  async #find(frame: KnownFrame): Promise<Context[]> {
    const { id } = frame.info;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#look(id);
      } catch (error) {
        if (error instanceof AbandonedError) throw error;
        if (this.#frames.get(id) !== frame || !(await this.#isThere(id))) return [];
        if (attempt === this.#limits.attempts) throw error;
      }
    }
  }

  async #isThere(frameId: string): Promise<boolean> {
    if (frameId === this.#root) return true;
    const { frameTree } = await this.#own.send(this.#sessionId, 'Page.getFrameTree', {});
    return framesOf(frameTree).some(({ id }) => id === frameId);
  }

  async #look(frameId: string): Promise<Context[]> {
    const isRoot = frameId === this.#root;
    const main = isRoot ? this.#mainContext().catch(noneYet) : this.#childContext(frameId);
    const names = new Set([...this.#worlds, ...(this.#early.get(frameId) ?? [])]);
    const worlds = Array.from(names, (world) => this.#world(frameId, world));
    const made = Promise.all(worlds);
    made.catch(() => {});
    const id = await main;
    // A frame from another site whose document has not loaded yet: Page.frameNavigated will report it.
    if (isRoot && id === undefined) return [];
    const others = await made;
    return [...(id === undefined ? [] : [{ id, world: undefined }]), ...others];
  }

  /** Creates an isolated world. The same name in the same document yields the same world. */
  async #world(frameId: string, worldName: string): Promise<Context> {
    // Worlds of scripts have this access; the protocol misspells it this way.
    const params = { frameId, worldName, grantUniveralAccess: true };
    const { executionContextId } = await this.#own.send(this.#sessionId, 'Page.createIsolatedWorld', params);
    return { id: executionContextId, world: worldName };
  }

  async #mainContext(answered?: () => void): Promise<number> {
    const params = { expression: 'globalThis', serializationOptions: { serialization: 'idOnly' as const } };
    const { result } = await this.#own.send(this.#sessionId, 'Runtime.evaluate', params, answered);
    return this.#contextOf(result.objectId);
  }

  /** Undefined for a frame without a document, or whose document is in another session. */
  async #childContext(frameId: string): Promise<number | undefined> {
    const { backendNodeId } = await this.#own.send(this.#sessionId, 'DOM.getFrameOwner', { frameId });
    const { node } = await this.#own.send(this.#sessionId, 'DOM.describeNode', { backendNodeId });
    const document = node.contentDocument?.backendNodeId;
    if (document === undefined) return undefined;
    const { object } = await this.#own.send(this.#sessionId, 'DOM.resolveNode', { backendNodeId: document });
    return this.#contextOf(object.objectId);
  }

  #contextOf(objectId: string | undefined): number {
    const id = Number(objectId?.split('.')[1]);
    if (objectId === undefined || !Number.isInteger(id))
      throw new Error('The browser returned an object without an id');
    this.#own.sendAndForget(this.#sessionId, 'Runtime.releaseObject', { objectId });
    return id;
  }
}

/** @throws any error except the one for a frame without a document */
function noneYet(error: unknown): undefined {
  if (error instanceof ProtocolError && error.reason.includes('Cannot find default execution context')) return;
  throw error;
}

function framesOf({ frame, childFrames = [] }: FrameTree): FrameInfo[] {
  return [frame, ...childFrames.flatMap((child) => framesOf(child))];
}
