/** Declares what lower layers know about the account that pays for a request. `control/accounts` implements it. */

/** The account that proxy traffic and solved captchas are billed to. */
export interface Payer {
  /** Name for metrics; never a secret. */
  label(): Promise<string>;
  /** @throws ServiceError `units-exhausted` when the account has no units left */
  requireLeft(): void;
  charge(units: number): void;
}
