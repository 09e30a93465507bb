// Waits inside pages and workers.

/** Resolves after so many milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** What the promise resolves with, or the text `late` after so many milliseconds; a failure becomes its message. */
export async function withinLimit<T>(work: Promise<T>, milliseconds: number): Promise<T | string> {
  try {
    return await Promise.race([work, pause(milliseconds).then(() => 'late')]);
  } catch (error) {
    return `failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
