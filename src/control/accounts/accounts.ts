/**
 * Finds the account of a token, and follows changes to TOKENS_FILE. When a changed file cannot be used, the log says so
 * and the previous version stays in effect.
 */
import type { Config } from '../../base/config/config.ts';
import { ServiceError } from '../../base/errors.ts';
import { toHex } from '../../base/runtime/bytes.ts';
import { sha256 } from '../../base/runtime/crypto/hashes.ts';
import { directoryOf, readText } from '../../base/runtime/files.ts';
import { SerialQueue } from '../../base/runtime/serial.ts';
import { watchDirectory } from '../../base/runtime/watch-directory.ts';
import type { Log } from '../../base/telemetry/log.ts';
import type { Limiter } from '../admission/limiter.ts';
import type { AccountUse } from '../../base/telemetry/prometheus.ts';
import { Account, operator, visitor } from './account.ts';
import type { TenantRow } from './tokens-file.ts';

/** The operator's own tokens, and the path of the file with the tokens of other users. */
type AccountSettings = Readonly<Pick<Config, 'TOKEN' | 'TOKENS_FILE'>>;

/** How often the file and expired tokens are checked, in milliseconds. */
const checkMs = 1_000;

interface Tenant {
  readonly row: TenantRow;
  readonly account: Account;
}

export class Accounts implements Disposable {
  readonly #settings: AccountSettings;
  readonly #log: Log;
  readonly #servers: () => number;
  /** Hashes of the operator's tokens: comparing hashes does not reveal how close a guess was. */
  readonly #operators: ReadonlySet<string>;
  /** Every account since startup, because its sessions and usage outlive its row. */
  readonly #known = new Map<string, Account>();
  #byHash = new Map<string, Tenant>();
  #byName = new Map<string, Tenant>();
  #text = '';
  readonly #reads = new SerialQueue();
  #stop = () => {};
  #ended: (account: Account) => void = () => {};
  #changed: () => void = () => {};
  /** Accounts whose tokens were removed or revoked and whose sessions must end. */
  readonly #unwanted = new Set<Account>();
  /** The last text that was rejected. */
  #refused = '';

  /**
   * @param servers how many servers currently enforce account limits independently of each other. Default: only this
   *   one
   */
  constructor(settings: AccountSettings, log: Log, servers: () => number = () => 1) {
    this.#servers = servers;
    this.#settings = settings;
    this.#log = log;
    this.#operators = new Set(settings.TOKEN.map(hashOf));
  }

  /** Reads the file, and follows it until disposed. @throws TokensFileProblem, and the error for a missing file */
  async start(): Promise<void> {
    const { TOKENS_FILE: path } = this.#settings;
    if (path === undefined) return;
    // Most servers have no such file.
    const { parseTokensFile } = await import('./tokens-file.ts');
    this.#text = await readText(path);
    this.#take(parseTokensFile(this.#text, this.#operators));
    const look = () => void this.#reads.run(() => this.#readAgain(path));
    const stopWatching = watchDirectory(directoryOf(path), look);
    // Changes to a file that is mounted separately, or behind a link, are not reported.
    const timer = setInterval(() => {
      look();
      this.#endUnwanted();
    }, checkMs);
    this.#stop = () => {
      stopWatching();
      clearInterval(timer);
    };
  }

  /** Calls the listener for each account whose tokens are no longer valid and whose row says `kill`. */
  onEnded(listener: (account: Account) => void): void {
    this.#ended = listener;
  }

  /** Calls the listener when the limits of accounts may have changed. */
  whenChanged(listener: () => void): void {
    this.#changed = listener;
  }

  /** False for a server that anyone may use. */
  get requiresToken(): boolean {
    return this.#operators.size > 0 || this.#settings.TOKENS_FILE !== undefined;
  }

  /** The accounts that TOKENS_FILE contains now, or has contained since the process started. */
  list(): readonly Account[] {
    return [...this.#known.values()];
  }

  /** Current usage of each account that runs or queues requests or has used units this month. */
  usage(limiter: Limiter): AccountUse[] {
    return this.list()
      .map((account) => ({ account: account.name, ...limiter.usageOf(account), units: account.units.used }))
      .filter(({ running, queued, units }) => running + queued + units > 0);
  }

  /** The account with this name. @param name the owner recorded with a resource */
  owner(name: string): Account {
    return name === '' ? operator : (this.#known.get(name) ?? visitor);
  }

  /** True for a token that is valid now. */
  accepts(credential: string | undefined): boolean {
    try {
      this.authenticate(credential);
      return true;
    } catch {
      return false;
    }
  }

  /** When the token expires, in epoch milliseconds; undefined for never. */
  expiryOf(account: Account): number | undefined {
    return this.#byName.get(account.name)?.row.expires;
  }

  /**
   * The account of a request.
   * @param credential its token
   * @throws ServiceError `unauthorized` for a token that is missing, unknown, revoked or expired
   */
  authenticate(credential: string | undefined): Account {
    if (!this.requiresToken) return operator;
    const hash = credential === undefined ? '' : hashOf(credential);
    if (this.#operators.has(hash)) return operator;
    const tenant = this.#byHash.get(hash);
    if (!tenant || tenant.row.revoked) throw new ServiceError('unauthorized', 'Bad or missing authentication.');
    if (hasExpired(tenant.row)) {
      const { expires = 0 } = tenant.row;
      throw new ServiceError(
        'unauthorized',
        `This token expired on ${new Date(expires).toISOString()}. Ask the operator for a new one.`,
      );
    }
    return tenant.account;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  /**
   * True while a token of an account is valid.
   * @param owner the name of the account; empty for the operator
   * @param tokenHash the hash of the token to check, as `hashOf` returns it. Default: any token of the account
   */
  isValid(owner: string, tokenHash?: string): boolean {
    if (owner === '') return true;
    const row = this.#byName.get(owner)?.row;
    if (row === undefined || row.revoked || hasExpired(row)) return false;
    return tokenHash === undefined || row.hashes.includes(tokenHash);
  }

  /** @throws ServiceError `unauthorized` for an account whose tokens are no longer valid */
  requireValid({ name }: Account): void {
    if (this.isValid(name)) return;
    throw new ServiceError('unauthorized', 'This token has been revoked or has expired.');
  }

  /** Repeated on each check, to end sessions that were about to start when their token was revoked. */
  #endUnwanted(): void {
    for (const account of this.#unwanted) this.#ended(account);
    for (const { row, account } of this.#byName.values()) if (row.kill && hasExpired(row)) this.#ended(account);
  }

  #take(rows: readonly TenantRow[]): void {
    const before = this.#byName;
    this.#byName = new Map();
    this.#byHash = new Map();
    for (const row of rows) {
      const account = this.#known.get(row.name) ?? new Account(row.name, row.terms, this.#servers);
      this.#known.set(row.name, account);
      account.terms = row.terms;
      const tenant = { row, account };
      this.#byName.set(row.name, tenant);
      for (const hash of row.hashes) this.#byHash.set(hash, tenant);
      if (row.revoked && row.kill) this.#unwanted.add(account);
      else this.#unwanted.delete(account);
    }
    for (const [name, { row, account }] of before) {
      if (!this.#byName.has(name) && row.kill) this.#unwanted.add(account);
    }
    this.#endUnwanted();
    this.#changed();
  }

  async #readAgain(path: string): Promise<void> {
    // A file that is being written or replaced is empty or missing for a moment.
    const text = await readText(path).catch(() => '');
    if (text === this.#text || text === this.#refused || text.trim() === '') return;
    const { parseTokensFile, TokensFileProblem } = await import('./tokens-file.ts');
    this.#refused = text;
    try {
      this.#take(parseTokensFile(text, this.#operators));
      this.#text = text;
      this.#log.info('tokens.read', { tokens: this.#byName.size });
    } catch (error) {
      const problems = error instanceof TokensFileProblem ? error.problems : undefined;
      const message = 'TOKENS_FILE cannot be used: the previous tokens and plans remain in effect.';
      this.#log.warn('tokens.kept', { message, problems, cause: problems ? undefined : error });
    }
  }
}

function hasExpired({ expires }: TenantRow): boolean {
  return expires !== undefined && expires <= Date.now();
}

/** SHA-256 in hexadecimal, as in TOKENS_FILE. */
export function hashOf(token: string): string {
  return toHex(sha256(token));
}
