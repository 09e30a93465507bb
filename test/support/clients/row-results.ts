// Runs the rows of a client library sequentially, and returns which failed and why.

/** What a library does with its browser; throws when that does not work. */
export type Rows<Client> = Readonly<Record<string, (client: Client) => Promise<unknown>>>;

/** Time limit of a row, in milliseconds: without it, the wait for a lost event would never end. */
const rowLimitMs = 15_000;

/** The rows that failed, each with its error. */
export async function failedRows<Client>(
  rows: Rows<Client>,
  open: () => Promise<Client>,
): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  for (const [name, run] of Object.entries(rows)) {
    const client = await open();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('took too long')), rowLimitMs);
    try {
      await Promise.race([run(client), late.promise]);
    } catch (error) {
      failed.set(name, String(error));
    } finally {
      clearTimeout(timer);
    }
  }
  return failed;
}
