// Reads pages of increasing size: through POST /content, and with a socket client.
import { Agent } from 'node:http';
import type { SizePoint } from '../../../src/web/docs/site/costs.ts';
import { startProcess } from '../../support/service.ts';
import { openPage, type SocketTarget, startDirect } from '../direct.ts';
import { median, settle } from '../measure.ts';
import { startSocketServer, turns } from '../sessions.ts';
import { type Browser, post, startBaseline } from '../subjects.ts';

interface SizesOrder {
  browser: Browser;
  siteUrl: string;
  /** Page sizes in bytes. */
  sizes: readonly number[];
  rounds: number;
}

/** Pages of at least this size are read fewer times. */
const largeBytes = 5_000_000;

export async function measureSizes(order: SizesOrder): Promise<SizePoint[]> {
  const contents = await measureContent(order);
  const reads = await measureReads(order);
  return order.sizes.map((bytes, index) => ({
    bytes,
    content: contents[index] ?? { server: Number.NaN, floor: Number.NaN },
    read: reads[index] ?? { context: Number.NaN, process: Number.NaN, floor: Number.NaN },
  }));
}

const addressOf = ({ siteUrl }: SizesOrder, bytes: number) => `${siteUrl}/sized/${bytes}`;
const roundsFor = ({ rounds }: SizesOrder, bytes: number) => (bytes < largeBytes ? rounds : Math.ceil(rounds / 2));

async function measureContent(order: SizesOrder): Promise<SizePoint['content'][]> {
  const service = await startProcess({ env: { TIMEOUT: '0' } });
  const floor = await startBaseline(order.browser, false);
  const agent = new Agent({ keepAlive: true });
  const timed = {
    async server(url: string, bytes: number) {
      const began = performance.now();
      const answer = await post(agent, `${service.url}/content`, JSON.stringify({ url }));
      const ms = performance.now() - began;
      if (answer.status !== 200 || answer.bytes.length < bytes * 0.99)
        throw new Error(`content of ${bytes} bytes returned ${answer.status} with ${answer.bytes.length}`);
      return ms;
    },
    async floor(url: string) {
      const { answeredMs } = await floor.run({ route: 'content', url, count: 1, concurrency: 1 });
      return answeredMs[0] ?? Number.NaN;
    },
  };
  try {
    const points: SizePoint['content'][] = [];
    for (const bytes of order.sizes) {
      const url = addressOf(order, bytes);
      const ms = { server: [] as number[], floor: [] as number[] };
      for (let round = -1; round < roundsFor(order, bytes); round++) {
        for (const name of turns(round)) {
          const took = await timed[name](url, bytes);
          await settle([service.pid, floor.pid]);
          // The first round is a warm-up for both.
          if (round >= 0) ms[name].push(took);
        }
      }
      points.push({ server: median(ms.server), floor: median(ms.floor) });
    }
    return points;
  } finally {
    agent.destroy();
    await floor.stop();
    await service.stop();
  }
}

async function measureReads(order: SizesOrder): Promise<SizePoint['read'][]> {
  const sides: [keyof SizePoint['read'], SocketTarget][] = [];
  try {
    sides.push(['floor', await startDirect(order.browser)]);
    for (const mode of ['context', 'process'] as const) sides.push([mode, await startSocketServer(mode, {})]);
    const points: SizePoint['read'][] = [];
    for (const bytes of order.sizes) points.push(await measureRead(order, sides, bytes));
    return points;
  } finally {
    for (const [, side] of sides) await side.stop();
  }
}

async function measureRead(
  order: SizesOrder,
  sides: readonly [keyof SizePoint['read'], SocketTarget][],
  bytes: number,
): Promise<SizePoint['read']> {
  const ms: Record<keyof SizePoint['read'], number[]> = { context: [], process: [], floor: [] };
  const open = await Promise.all(sides.map(async ([name, side]) => ({ name, ...(await openPage(side)) })));
  for (const { page } of open) await page.goto(addressOf(order, bytes));
  for (let round = -1; round < roundsFor(order, bytes); round++) {
    for (const { name, page } of round % 2 === 0 ? open : open.toReversed()) {
      const began = performance.now();
      const text = await page.content();
      const took = performance.now() - began;
      if (text.length < bytes * 0.99) throw new Error(`${name} read ${text.length} of ${bytes} bytes`);
      if (round >= 0) ms[name].push(took);
    }
  }
  for (const { end } of open) await end();
  return { context: median(ms.context), process: median(ms.process), floor: median(ms.floor) };
}
