// Compares a server with a tokens file, on which no process serves two tenants, with a server that has a single token.
// In this table, the baseline is the single-token server.
import { rawClient, socketUrl } from '../support/clients/clients.ts';
import { openPage } from '../support/clients/targets.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { type ServerProcess, startProcess } from '../support/service.ts';
import { inTurn, timed } from './features.ts';
import { median, settle, treePss } from './measure.ts';
import type { Report } from './report.ts';

const tenants = Array.from({ length: 6 }, (_, at) => `tenant-${at}`);

interface Side {
  service: ServerProcess;
  token: string;
}

/** Milliseconds from the handshake to the title of a page. */
async function firstTitle({ service, token }: Side, url: string): Promise<number> {
  const began = performance.now();
  const client = await rawClient(socketUrl(service, '/', { token }));
  const { sessionId } = await openPage(client, url);
  await client.send('Runtime.evaluate', { expression: 'document.title' }, sessionId);
  const ms = performance.now() - began;
  client.socket.close();
  await client.closed;
  return ms;
}

/** @param url URL of a small page */
export async function measureTenants(url: string, jobs: number, report: Report): Promise<void> {
  using file = tokensFile(tenants.map((name) => ({ name })));
  const [first = '', ...others] = tenants.map(tokenOf);
  const shared = await startProcess({ env: { TOKEN: 'one-token' } });
  const apart = await startProcess({ env: { TOKENS_FILE: file.path } });
  try {
    const sides = [
      { service: apart, token: first },
      { service: shared, token: 'one-token' },
    ] as const;
    const content = ({ service, token }: Side) => timed(service, '/content', { url }, { token });
    for (const [name, work] of [
      ['content, small: p50 ms', content],
      ['first title of a socket: p50 ms', (side: Side) => firstTitle(side, url)],
    ] as const) {
      const [withFile, withOne] = sides;
      await inTurn(
        4,
        () => work(withFile),
        () => work(withOne),
      );
      const ms = await inTurn(
        jobs,
        () => work(withFile),
        () => work(withOne),
      );
      report.addPair(`tokens file vs. one token, ${name}`, { server: median(ms.first), floor: median(ms.second) });
    }
    const calls = async (server: ServerProcess, tokens: readonly string[]) => {
      await settle([server.pid]);
      const before = treePss(server.pid);
      const ms: number[] = [];
      for (const token of tokens) ms.push(await content({ service: server, token }));
      await settle([server.pid]);
      return { ms: median(ms), mebibytes: (treePss(server.pid) - before) / tokens.length / 2 ** 20 };
    };
    const [fresh, again] = [
      await calls(apart, others),
      await calls(
        shared,
        others.map(() => 'one-token'),
      ),
    ];
    report.addPair(`tokens file vs. one token, first content of each of ${others.length} tenants: p50 ms`, {
      server: fresh.ms,
      floor: again.ms,
    });
    report.add({ name: 'tokens file: MiB of the process tree for each additional tenant', server: fresh.mebibytes });
  } finally {
    await Promise.all([shared.stop(), apart.stop()]);
  }
}
