/** Stores secrets of owners, such as passwords, as `<id>.secret`, each with the origins whose pages may receive it. */
import { KeyedSerialQueue } from '../../base/runtime/serial.ts';
import { ServiceError } from '../../base/errors.ts';
import { profileLimits } from '../../base/limits.ts';
import type { Vault } from './vault.ts';

/** The public information about a secret. */
export interface SecretEntry {
  name: string;
  /** Origins whose pages may receive the secret. */
  origins: readonly string[];
  /** ISO 8601. */
  createdAt: string;
  updatedAt: string;
}

export interface Secret {
  value: string;
  origins: readonly string[];
}

interface StoredSecret extends SecretEntry, Secret {
  id: string;
}

export class Secrets {
  readonly #vault: Vault;
  readonly #turns = new KeyedSerialQueue<string>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** @throws ServiceError `vault-closed`, `vault-damaged` */
  async list(owner: string): Promise<SecretEntry[]> {
    return (await this.#all(owner)).map(entryOf);
  }

  /** Stores a secret, replacing an older one. @throws ServiceError `bad-request` for too many, `storage-full` */
  put(owner: string, name: string, { value, origins }: Secret): Promise<SecretEntry> {
    return this.#turns.run(owner, async () => {
      const all = await this.#all(owner);
      const known = all.find((each) => each.name === name);
      if (!known && all.length >= profileLimits.secrets) {
        throw new ServiceError(
          'bad-request',
          `There are already ${all.length} secrets, the maximum per token. Delete one with DELETE /secret/<name>.`,
        );
      }
      const at = new Date().toISOString();
      const { id, createdAt } = known ?? { id: crypto.randomUUID(), createdAt: at };
      const secret = { id, name, value, origins, createdAt, updatedAt: at };
      await this.#vault.write(owner, `${id}.secret`, secret);
      return entryOf(secret);
    });
  }

  /** @throws ServiceError `not-found` */
  remove(owner: string, name: string): Promise<void> {
    return this.#turns.run(owner, async () => {
      const found = (await this.#all(owner)).find((each) => each.name === name);
      if (found) return this.#vault.remove(owner, `${found.id}.secret`);
      throw new ServiceError(
        'not-found',
        `There is no secret ${JSON.stringify(name.slice(0, 100))}. GET /secrets lists the secrets of your token.`,
      );
    });
  }

  /**
   * Returns the secret with this name; undefined when there is none.
   * @throws ServiceError `vault-closed`, `vault-damaged`
   */
  async find(owner: string, name: string): Promise<Secret | undefined> {
    const found = (await this.#all(owner)).find((each) => each.name === name);
    return found && { value: found.value, origins: found.origins };
  }

  #all(owner: string): Promise<StoredSecret[]> {
    return this.#vault.readAll(owner, '.secret');
  }
}

function entryOf({ name, origins, createdAt, updatedAt }: StoredSecret): SecretEntry {
  return { name, origins, createdAt, updatedAt };
}
