/** Errors of the registry, in a module that loads without the Valkey client. */

/** A message to a waiting request may have been lost: the request must retry. */
export class MessageGap extends Error {
  override readonly name = 'MessageGap';
}

/** Valkey is unavailable now. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown';
}
