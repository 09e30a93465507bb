/** Errors of the registry, in a module that loads without the client of Valkey. */

/** A message to a waiting request may have been lost: the request must ask again. */
export class MessageGap extends Error {
  override readonly name = 'MessageGap';
}

/** Valkey is unavailable now. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown';
}
