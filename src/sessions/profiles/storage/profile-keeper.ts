/** Saves the state of a browser as a stored profile, for the clients of one request. */
import type { BrowserConnection } from '../../../browser/cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import { nameProblem, type ProfileEntry, type Profiles } from '../profiles.ts';
import { type OmittedCounts, readState, type SitePolicy } from '../state.ts';
import { captureState } from './capture-state.ts';

/** The saved profile, and what was left out of it. */
export interface SavedProfile extends OmittedCounts {
  entry: ProfileEntry;
  /** Number of origins whose pages did not respond in time, or hold more than a profile may. */
  skippedUnreadOrigins: number;
}

export interface KeeperOptions {
  profiles: Profiles;
  policy: SitePolicy;
  /** Returns the owner of the profiles. @throws ServiceError */
  owner(): Promise<string>;
  connection: BrowserConnection;
  /** Whether clients may see a page with this URL. */
  mayRead(address: string): boolean;
  /** The name when the client does not specify one. */
  defaultName: string | undefined;
}

export class ProfileKeeper {
  readonly #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /**
   * @param page target id of a page of the context
   * @throws ServiceError with a message for the client
   */
  async save(page: string, given: string | undefined): Promise<SavedProfile> {
    const { profiles } = this.#options;
    const name = this.#nameOf(given);
    const owner = await this.#options.owner();
    // Checked before the pages are read, and again when the profile is created.
    await profiles.requireFree(owner, name);
    const { state, ...leftOut } = await this.#capture(page);
    return { entry: await profiles.create(owner, name, state), ...leftOut };
  }

  /** Updates a profile. Origins that no page shows stay as they are. @throws the errors documented for `save` */
  async refresh(page: string, given: string | undefined): Promise<SavedProfile> {
    const { profiles, policy } = this.#options;
    const name = this.#nameOf(given);
    const owner = await this.#options.owner();
    const before = await profiles.stateOf(owner, name);
    const { state, shown, ...leftOut } = await this.#capture(page);
    const kept = before.origins.filter(({ origin }) => !shown.includes(origin));
    const whole = readState({ cookies: state.cookies, origins: [...state.origins, ...kept] }, policy, 'fit');
    const truncatedOrigins = leftOut.truncatedOrigins + whole.leftOut.truncatedOrigins;
    return { entry: await profiles.refresh(owner, name, whole.state), ...leftOut, truncatedOrigins };
  }

  #nameOf(given: string | undefined): string {
    const name = given ?? this.#options.defaultName;
    const problem = name === undefined ? 'is required: this browser started without a profile' : nameProblem(name);
    if (name !== undefined && problem === undefined) return name;
    throw new ServiceError('bad-request', `"name" ${problem}.`);
  }

  async #capture(page: string) {
    const { connection, mayRead, policy } = this.#options;
    const captured = await captureState(connection, page, mayRead);
    const { state, leftOut } = readState(captured, policy, 'fit');
    leftOut.truncatedOrigins += captured.truncatedOrigins;
    leftOut.truncatedIdbDatabases += captured.truncatedIdbDatabases;
    leftOut.truncatedIdbEntries += captured.truncatedIdbEntries;
    const shown = captured.origins.map(({ origin }) => origin);
    return { state, shown, ...leftOut, skippedUnreadOrigins: captured.unread.length };
  }
}
