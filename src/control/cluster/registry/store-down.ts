/** Errors of the registry, in a module that loads without the client of Valkey. */

/** A message to a call that waits may have been lost: it asks again. */
export class MessageGap extends Error {
  override readonly name = 'MessageGap';
}

/** Valkey cannot be asked now. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown';
}
