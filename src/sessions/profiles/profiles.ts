/**
 * Stores the profiles of owners: for each profile a small `<id>.profile` with the fields that lists show, and a
 * `<state>.state` with its cookies and storage. A new state is written before the profile refers to it, so that a
 * profile never mixes two states.
 */
import { KeyedSerialQueue } from '../../base/runtime/serial.ts';
import { ServiceError } from '../../base/errors.ts';
import { profileLimits } from '../../base/limits.ts';
import { isPlainObject } from '../../base/schema/record.ts';
import type { ProfileState } from './state.ts';
import type { Vault } from './vault.ts';

export interface ProfileEntry {
  id: string;
  name: string;
  cookieCount: number;
  originCount: number;
  /** ISO 8601; null before its first use. */
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

interface StoredProfile extends ProfileEntry {
  /** File name of its state, without extension. */
  state: string;
}

export class Profiles {
  readonly #vault: Vault;
  readonly #turns = new KeyedSerialQueue<string>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** @throws ServiceError `vault-closed` when this server does not store profiles */
  open(): Promise<void> {
    return this.#vault.open();
  }

  /** Lists the profiles of an owner, sorted by name. @throws ServiceError `vault-closed`, `vault-damaged` */
  async list(owner: string): Promise<ProfileEntry[]> {
    return (await this.#all(owner)).map(entryOf);
  }

  /** @throws ServiceError `not-found`, `vault-closed`, `vault-damaged` */
  async find(owner: string, name: string): Promise<ProfileEntry> {
    return entryOf(await this.#require(owner, name));
  }

  /** @throws ServiceError `bad-request` when the owner has a profile of this name, or the maximum number of profiles */
  async requireFree(owner: string, name: string): Promise<void> {
    const all = await this.#all(owner);
    if (all.some((each) => each.name === name)) throw taken(name);
    if (all.length < profileLimits.profiles) return;
    throw new ServiceError(
      'bad-request',
      `There are already ${all.length} profiles, the maximum per token. Delete one with DELETE /profile/<name>.`,
    );
  }

  /** Creates a profile. @throws the errors documented for `requireFree`; ServiceError `vault-closed`, `storage-full` */
  create(owner: string, name: string, state: ProfileState): Promise<ProfileEntry> {
    return this.#turns.run(owner, async () => {
      await this.requireFree(owner, name);
      const at = new Date().toISOString();
      const profile = { id: crypto.randomUUID(), name, lastUsedAt: null, createdAt: at, updatedAt: at };
      return this.#save(owner, { ...profile, state: '', cookieCount: 0, originCount: 0 }, state);
    });
  }

  /** Replaces the state of a profile. @throws ServiceError `not-found`, `vault-closed`, `storage-full` */
  refresh(owner: string, name: string, state: ProfileState): Promise<ProfileEntry> {
    return this.#turns.run(owner, async () => {
      const known = await this.#require(owner, name);
      const saved = await this.#save(owner, { ...known, updatedAt: new Date().toISOString() }, state);
      await this.#vault.remove(owner, `${known.state}.state`);
      return saved;
    });
  }

  /** @throws ServiceError `not-found`, `bad-request` when the new name is taken */
  rename(owner: string, name: string, newName: string): Promise<ProfileEntry> {
    return this.#turns.run(owner, async () => {
      const known = await this.#require(owner, name);
      if (newName !== name && (await this.#all(owner)).some((each) => each.name === newName)) throw taken(newName);
      return this.#put(owner, { ...known, name: newName, updatedAt: new Date().toISOString() });
    });
  }

  /** @throws ServiceError `not-found` */
  remove(owner: string, name: string): Promise<void> {
    return this.#turns.run(owner, async () => {
      const { id, state } = await this.#require(owner, name);
      await this.#vault.remove(owner, `${id}.profile`);
      await this.#vault.remove(owner, `${state}.state`);
    });
  }

  /**
   * Returns the state of a profile, for a browser that starts with it.
   * @throws ServiceError `not-found`, `vault-damaged`
   */
  use(owner: string, name: string): Promise<ProfileState> {
    return this.#turns.run(owner, async () => {
      const known = await this.#require(owner, name);
      const state = await this.#stateOf(owner, known);
      await this.#put(owner, { ...known, lastUsedAt: new Date().toISOString() });
      return state;
    });
  }

  /** Returns the state of a profile without updating its last use. @throws the errors documented for `use` */
  stateOf(owner: string, name: string): Promise<ProfileState> {
    // Waits its turn, because a refresh in between would remove the file.
    return this.#turns.run(owner, async () => this.#stateOf(owner, await this.#require(owner, name)));
  }

  async #stateOf(owner: string, { state }: StoredProfile): Promise<ProfileState> {
    const read = await this.#vault.read(owner, `${state}.state`);
    // The file is authenticated: the server has written it.
    if (isPlainObject(read)) return read as unknown as ProfileState;
    throw new ServiceError(
      'vault-damaged',
      'The state file of this profile is missing. Delete the profile and save it again.',
    );
  }

  async #save(owner: string, profile: StoredProfile, state: ProfileState): Promise<ProfileEntry> {
    const file = crypto.randomUUID();
    await this.#vault.write(owner, `${file}.state`, state);
    const counts = { cookieCount: state.cookies.length, originCount: state.origins.length };
    try {
      return await this.#put(owner, { ...profile, ...counts, state: file });
    } catch (error) {
      await this.#vault.remove(owner, `${file}.state`);
      throw error;
    }
  }

  async #put(owner: string, profile: StoredProfile): Promise<ProfileEntry> {
    await this.#vault.write(owner, `${profile.id}.profile`, profile);
    return entryOf(profile);
  }

  #all(owner: string): Promise<StoredProfile[]> {
    return this.#vault.readAll(owner, '.profile');
  }

  async #require(owner: string, name: string): Promise<StoredProfile> {
    const found = (await this.#all(owner)).find((each) => each.name === name);
    if (found) return found;
    throw new ServiceError(
      'not-found',
      `There is no profile ${JSON.stringify(name.slice(0, 100))}. GET /profiles lists the profiles of your token.`,
    );
  }
}

function entryOf(profile: StoredProfile): ProfileEntry {
  const { id, name, cookieCount, originCount, lastUsedAt, createdAt, updatedAt } = profile;
  return { id, name, cookieCount, originCount, lastUsedAt, createdAt, updatedAt };
}

function taken(name: string): ServiceError {
  return new ServiceError(
    'bad-request',
    `There is already a profile named ${JSON.stringify(name.slice(0, 100))}. Use a different name, or refresh that profile.`,
    { issues: [{ path: 'name', message: 'is taken' }] },
  );
}

/** Returns why a string is not a valid profile name, as the end of a sentence; undefined when it is valid. */
export function nameProblem(name: string): string | undefined {
  if (name === '' || name.length > profileLimits.nameCharacters) {
    return `must have 1 to ${profileLimits.nameCharacters} characters`;
  }
  // oxlint-disable-next-line eslint/no-control-regex -- rejects control characters
  if (/[\s?#/\\\0-\x1f\x7f]/.test(name)) return 'must not contain whitespace, ?, #, slashes, or control characters';
  return name === '.' || name === '..' ? 'must not be "." or ".."' : undefined;
}
