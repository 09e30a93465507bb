// Waits inside pages and workers.

/** Resolves after the given number of milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/**
 * The promise's value, or the string `late` if it takes longer than the given number of milliseconds; a failure becomes
 * its message.
 */
export async function withinLimit<T>(work: Promise<T>, milliseconds: number): Promise<T | string> {
  try {
    return await Promise.race([work, pause(milliseconds).then(() => 'late')]);
  } catch (error) {
    return `failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
