/**
 * Knows the accounts: finds the one of a token, and follows changes of TOKENS_FILE. A file that cannot be used when it
 * changes is told in the log, and the one before stays.
 */
import { ServiceError } from '../errors.ts';
import { toHex } from '../runtime/bytes.ts';
import { sha256 } from '../runtime/crypto/sha256.ts';
import { directoryOf, readText } from '../runtime/files.ts';
import { watchDirectory } from '../runtime/watch-directory.ts';
import type { Log } from '../telemetry/log.ts';
import { Account, operator } from './account.ts';
import type { TenantRow } from './tokens-file.ts';

export interface AccountSettings {
  /** The operator's own tokens. */
  readonly TOKEN: readonly string[];
  /** Path of the file with the tokens of others. */
  readonly TOKENS_FILE: string | undefined;
}

/** How often tokens that expire are looked for, in milliseconds. */
const expiryCheckMs = 1_000;

interface Tenant {
  readonly row: TenantRow;
  readonly account: Account;
}

export class Accounts implements Disposable {
  readonly #settings: AccountSettings;
  readonly #log: Log;
  /** Hashes of the operator's tokens: a hash tells nothing of how near a guess was. */
  readonly #operators: ReadonlySet<string>;
  /** Every account that there has been, because what it runs and has used outlives its row. */
  readonly #known = new Map<string, Account>();
  #byHash = new Map<string, Tenant>();
  #byName = new Map<string, Tenant>();
  #text = '';
  #reading: Promise<void> = Promise.resolve();
  #stop = () => {};
  #ended: (account: Account) => void = () => {};

  constructor(settings: AccountSettings, log: Log) {
    this.#settings = settings;
    this.#log = log;
    this.#operators = new Set(settings.TOKEN.map(hashOf));
  }

  /** Reads the file, and follows it until disposed. @throws TokensFileProblem, and the error of a file that is not there */
  async start(): Promise<void> {
    const { TOKENS_FILE: path } = this.#settings;
    if (path === undefined) return;
    // Most servers have no such file.
    const { parseTokensFile } = await import('./tokens-file.ts');
    this.#text = await readText(path);
    this.#take(parseTokensFile(this.#text));
    const stopWatching = watchDirectory(directoryOf(path), () => {
      this.#reading = this.#reading.then(() => this.#readAgain(path));
    });
    const timer = setInterval(() => this.#endExpired(), expiryCheckMs);
    this.#stop = () => {
      stopWatching();
      clearInterval(timer);
    };
  }

  /** Calls the listener for each account whose tokens count no more and whose row says `kill`. */
  whenEnded(listener: (account: Account) => void): void {
    this.#ended = listener;
  }

  /** False for a server that everybody may call. */
  get asksForToken(): boolean {
    return this.#operators.size > 0 || this.#settings.TOKENS_FILE !== undefined;
  }

  /** The accounts that TOKENS_FILE names now, or has named since the start. */
  list(): readonly Account[] {
    return [...this.#known.values()];
  }

  /** The account with this name. @param name the owner of something, which an account has made */
  owner(name: string): Account {
    return this.#known.get(name) ?? operator;
  }

  /** True for a token that counts now. */
  accepts(credential: string | undefined): boolean {
    try {
      this.authenticate(credential);
      return true;
    } catch {
      return false;
    }
  }

  /** When the token ends, in epoch milliseconds; undefined for never. */
  expiryOf(account: Account): number | undefined {
    return this.#byName.get(account.name)?.row.expires;
  }

  /**
   * The account of a call.
   * @param credential its token
   * @throws ServiceError `unauthorized` for a token that is missing, unknown, revoked or expired
   */
  authenticate(credential: string | undefined): Account {
    if (!this.asksForToken) return operator;
    const hash = credential === undefined ? '' : hashOf(credential);
    if (this.#operators.has(hash)) return operator;
    const tenant = this.#byHash.get(hash);
    if (!tenant || tenant.row.revoked) throw new ServiceError('unauthorized', 'Bad or missing authentication.');
    if (hasExpired(tenant.row)) {
      const { expires = 0 } = tenant.row;
      throw new ServiceError(
        'unauthorized',
        `This token has expired on ${new Date(expires).toISOString()}. Ask the operator for another.`,
      );
    }
    return tenant.account;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #endExpired(): void {
    for (const { row, account } of this.#byName.values()) if (row.kill && hasExpired(row)) this.#ended(account);
  }

  #take(rows: readonly TenantRow[]): void {
    const before = this.#byName;
    this.#byName = new Map();
    this.#byHash = new Map();
    for (const row of rows) {
      const account = this.#known.get(row.name) ?? new Account(row.name, row.terms);
      this.#known.set(row.name, account);
      account.changeTerms(row.terms);
      const tenant = { row, account };
      this.#byName.set(row.name, tenant);
      for (const hash of row.hashes) this.#byHash.set(hash, tenant);
      if (row.revoked && row.kill) this.#ended(account);
    }
    for (const [name, { row, account }] of before) if (!this.#byName.has(name) && row.kill) this.#ended(account);
  }

  async #readAgain(path: string): Promise<void> {
    const { parseTokensFile, TokensFileProblem } = await import('./tokens-file.ts');
    try {
      const text = await readText(path);
      if (text === this.#text) return;
      // A file that is being written is empty for a moment: its next change is reported too.
      if (text.trim() === '') return;
      this.#take(parseTokensFile(text));
      this.#text = text;
      this.#log.info('tokens.read', { tokens: this.#byName.size });
    } catch (error) {
      const problems = error instanceof TokensFileProblem ? error.problems : undefined;
      const message = 'TOKENS_FILE cannot be used: the tokens and plans before its change stay.';
      this.#log.warn('tokens.kept', { message, problems, cause: problems ? undefined : error });
    }
  }
}

function hasExpired({ expires }: TenantRow): boolean {
  return expires !== undefined && expires <= Date.now();
}

function hashOf(token: string): string {
  return toHex(sha256(token));
}
