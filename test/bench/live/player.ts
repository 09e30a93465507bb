// Measures how fast the player shows a recording and seeks in it: a video, and a replay of 20,000 elements.
import { setTimeout as pause } from 'node:timers/promises';
import { succeeded } from '../../support/checks/expect.ts';
import type { Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { median } from '../measure.ts';
import type { Report } from '../report.ts';
import { documents, servePage } from './pages.ts';
import { type DrivenPage, drivenBy } from './stand.ts';

const isReady = `document.body.dataset.state === 'ready'`;

/** @param bare a page in which recordings are played */
export async function measurePlayer(service: Service, bare: DrivenPage, rounds: number, report: Report): Promise<void> {
  for (const [kind, query, limits] of [
    ['video', { record: 'all' }, { shown: 200, seek: 300 }],
    ['replay', { replay: 'true' }, { shown: 300, seek: 1_500 }],
  ] as const) {
    const trackingId = `player-${kind}`;
    const site = await servePage(kind === 'video' ? documents.scroll : documents.heavy);
    const page = await drivenBy(service, { ...query, trackingId });
    await page.go(site.url);
    await pause(8_000);
    await page.close();
    await site.close();
    const id = await endedRecording(service, trackingId);
    const ms = { shown: [] as number[], seek: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      const { url } = succeeded(await service.post(`/recordings/${id}/share`, {})).json<{ url: string }>();
      await bare.go(url);
      ms.shown.push(Number(await bare.value(shownAfter)));
      for (const key of ['End', 'Home']) ms.seek.push(Number(await bare.value(seekTakes(kind, key))));
    }
    const name = kind === 'video' ? 'video' : 'replay of 20,000 elements';
    report.add({
      name: `17. player, ${name}: from the parsed page to the first image, ms`,
      server: median(ms.shown),
      limit: { atMost: limits.shown },
      detail: ms,
    });
    report.add({
      name: `17. player, ${name}: seek, ms`,
      server: median(ms.seek),
      limit: { atMost: limits.seek },
    });
  }
}

async function endedRecording(service: Service, trackingId: string): Promise<string> {
  return until('the recording to finish', async () => {
    const answer = succeeded(await service.get('/recordings', { query: { trackingId } }));
    const [first] = answer.json<{ recordings: { id: string; state: string }[] }>().recordings;
    return first?.state === 'finished' ? first.id : undefined;
  });
}

/** Milliseconds from the end of parsing until the image is visible. */
const shownAfter = `new Promise((resolve) => {
  const parsed = performance.getEntriesByType('navigation')[0].domInteractive;
  const look = () => (${isReady} ? resolve(performance.now() - parsed) : requestAnimationFrame(look));
  look();
})`;

/**
 * Milliseconds from a key press on the timeline until that moment is shown; a replay's document runs on the same
 * thread.
 */
function seekTakes(kind: 'video' | 'replay', key: string): string {
  const shown =
    kind === 'video'
      ? `document.querySelector('video').addEventListener('seeked', resolve, { once: true })`
      : `setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve)))`;
  return `(async () => {
    const began = performance.now();
    await new Promise((resolve) => {
      ${shown};
      document.querySelector('#track').dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));
    });
    return performance.now() - began;
  })()`;
}
