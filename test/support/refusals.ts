// Errors that calls must throw.
import { ServiceError } from '../../src/base/errors.ts';

/** For `assert.throws`: whether the error is a ServiceError with this code. */
export const hasCode = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

/** Returns the ServiceError that the call throws. */
export function refusalOf(call: () => unknown): ServiceError {
  try {
    call();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Returns the ServiceError of work that must fail. */
export async function problemOf(work: Promise<unknown>): Promise<ServiceError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
