/** Valkey cannot be asked now. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown';
}
