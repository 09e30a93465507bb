/**
 * Watches the targets of a browser that clients drive: reports its pages, and closes targets that show a URL that no
 * client may see. Clients are already prevented from opening such URLs; this covers every other way to open one.
 */
import { ignoreFailures } from '../../browser/cdp/auto-attach.ts';
import type { CdpSession, EventParams } from '../../browser/cdp/connection.ts';

/** Decides what is allowed for a target that shows a URL. */
export interface AddressPolicy {
  /** Whether clients may drive the target. */
  mayDrive(address: string): boolean;
  /** Whether the target may stay open. */
  mayShow(address: string): boolean;
  /** True for a file on the server: the session ends. */
  endsSession(address: string): boolean;
}

/** A page, and the URL that it shows. */
export interface ListedPage {
  readonly id: string;
  readonly address: string;
}

type TargetInfo = EventParams<'Target.targetCreated'>['targetInfo'];

export class TargetWatch {
  readonly #root: CdpSession;
  readonly #judge: AddressPolicy;
  readonly #addresses = new Map<string, string>();
  readonly #pages = new Map<string, ListedPage>();

  /** @param root the server's browser-level session */
  constructor(root: CdpSession, judge: AddressPolicy) {
    this.#root = root;
    this.#judge = judge;
  }

  /**
   * Starts to watch. Takes effect before a client's first command, because the browser handles commands in the order in
   * which they arrive.
   * @throws any error that the browser returns
   */
  async start(listener: { opened(page: string): void; closed(page: string): void; fileShown(): void }): Promise<void> {
    const look = ({ targetId, type, url }: TargetInfo) => {
      this.#addresses.set(targetId, url);
      if (type === 'page') this.#pages.set(targetId, { id: targetId, address: url });
      if (this.#judge.endsSession(url)) return listener.fileShown();
      if (type !== 'page' || this.#judge.mayShow(url)) return;
      ignoreFailures([this.#root.send('Target.closeTarget', { targetId })]);
    };
    this.#root.on('Target.targetCreated', ({ targetInfo }) => {
      if (targetInfo.type === 'page') listener.opened(targetInfo.targetId);
      look(targetInfo);
    });
    this.#root.on('Target.targetInfoChanged', ({ targetInfo }) => look(targetInfo));
    this.#root.on('Target.targetDestroyed', ({ targetId }) => {
      this.#addresses.delete(targetId);
      this.#pages.delete(targetId);
      listener.closed(targetId);
    });
    await this.#root.send('Target.setDiscoverTargets', { discover: true });
  }

  /** The pages that clients may see, oldest first. */
  get pages(): readonly ListedPage[] {
    return [...this.#pages.values()].filter(({ address }) => this.#judge.mayDrive(address));
  }

  /** Whether clients may drive a target; true for targets that are not known yet. */
  mayDrive(targetId: string): boolean {
    const address = this.#addresses.get(targetId);
    return address === undefined || this.#judge.mayDrive(address);
  }

  /** Whether clients may drive a target that shows this URL. */
  mayDriveAddress(address: string): boolean {
    return this.#judge.mayDrive(address);
  }
}
