// Opens hundreds of live views and ends them abruptly; afterward, the server must hold what it held at the start. The
// long form is part of `npm run bench live`; the short form is test/live/soak.test.ts.
import { WebSocket } from 'ws';
import type { ServerProcess } from '../../support/service.ts';
import { socketOf, type Viewer, watchLive } from '../../support/clients/viewer.ts';
import { until } from '../../support/until.ts';
import { runConcurrently } from '../soak.ts';
import { awaitState, settledState } from '../soak-state.ts';
import { documents } from './pages.ts';
import { type DrivenPage, drivenBy, liveLink } from './stand.ts';

/** How a view ends; each ending must leave nothing behind. */
const endings = [
  'the viewer is cut off',
  'the viewer never acknowledges, then is cut off',
  'the viewer sends garbage',
  'the view is closed while it is watched',
  'the page closes while it is watched',
  'the client is cut off while it is watched',
  'the socket is cut off while it opens',
] as const;

export interface ViewSoakResult {
  views: number;
  /** A message for every deviation; empty on success. */
  problems: string[];
}

/** @param views number of views; each is opened for a page in its own browser */
export async function soakViews(service: ServerProcess, views: number, lanes: number): Promise<ViewSoakResult> {
  const problems: string[] = [];
  const one = async (index: number) => {
    const how = endings[index % endings.length] ?? endings[0];
    try {
      await endView(service, how);
    } catch (error) {
      problems.push(`view ${index}, ${how}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  // The first views start processes that keep running, and get the code compiled.
  await runConcurrently(endings.length, lanes, one);
  const start = await settledState(service);
  await runConcurrently(views, lanes, one);
  const { left } = await awaitState(service, start);
  return { views, problems: [...problems, ...left] };
}

async function endView(service: ServerProcess, how: (typeof endings)[number]): Promise<void> {
  const page = await drivenBy(service);
  try {
    await page.show(documents.spinner);
    const link = await liveLink(page);
    if (how === 'the socket is cut off while it opens') return await cutWhileItOpens(link);
    const viewer = await watchLive(link, { acks: !how.includes('never') });
    await viewer.nextFrame();
    await act(how, page, viewer, link);
  } finally {
    page.client.socket.terminate();
    await page.client.closed;
  }
}

async function cutWhileItOpens(link: string): Promise<void> {
  const socket = new WebSocket(socketOf(link));
  socket.on('error', () => undefined);
  socket.once('upgrade', () => socket.terminate());
  await new Promise((resolve) => socket.once('close', resolve));
}

async function act(how: (typeof endings)[number], page: DrivenPage, viewer: Viewer, link: string): Promise<void> {
  switch (how) {
    case 'the viewer sends garbage': {
      viewer.socket.send('{"t":"nothing"}');
      const { code } = await viewer.closed;
      if (code !== 1008) throw new Error(`closed with code ${code}`);
      return;
    }
    case 'the view is closed while it is watched': {
      const liveURLId = new URL(link).searchParams.get('i');
      await page.send('Browserless.closeLiveURL', { liveURLId });
      return expectEnd(viewer);
    }
    case 'the page closes while it is watched':
      await page.client.send('Page.close', {}, page.sessionId);
      return expectEnd(viewer);
    case 'the client is cut off while it is watched':
      page.client.socket.terminate();
      return expectEnd(viewer);
    default:
      viewer.socket.terminate();
      await viewer.closed;
  }
}

async function expectEnd(viewer: Viewer): Promise<void> {
  await viewer.ended();
  await until("the viewer's socket to close", () => viewer.socket.readyState === viewer.socket.CLOSED);
}
