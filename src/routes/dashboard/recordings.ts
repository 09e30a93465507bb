/** Lets people play, download and remove recordings on the dashboard. */
import { toServiceError } from '../../errors.ts';
import { orAborted } from '../../runtime/deadline.ts';
import { noContent } from '../../schema/answer/answers.ts';
import { basePath } from '../http/base-path.ts';
import { jsonResponse } from '../http/json-response.ts';
import { playerUrl } from '../http/public-url.ts';
import type { DirectRoute } from '../pipeline/route.ts';
import { recordingOf, requireEnded } from '../recordings/recordings.ts';
import { recordedMp4 } from '../recordings/videos.ts';
import { requireOwnForm, requireSignedIn } from './guard.ts';
import { isRead, noticePage } from './pages.ts';

const video: DirectRoute = {
  ...recordedMp4,
  path: '/dashboard/recordings/:id/video.mp4',
  auth: requireSignedIn,
};

const play: DirectRoute = {
  kind: 'direct',
  method: 'POST',
  path: '/dashboard/recordings/:id/play',
  summary: 'Play a recording',
  description: 'Makes a link of one hour to the player and leads a browser to it; others get the link as JSON.',
  auth: requireOwnForm,
  answers: ['text/html', 'application/json'],
  async handle(call) {
    try {
      const recording = requireEnded(await recordingOf(call));
      const { id } = call.services.shares.visit(recording.id);
      if (!isRead(call)) return jsonResponse({ url: playerUrl(call.base, id) });
      const Location = playerUrl(basePath(call.services.config), id);
      return new Response(null, { status: 303, headers: { Location, 'Cache-Control': 'no-store' } });
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (!isRead(call) || error.code === 'internal') throw thrown;
      return noticePage(call, error, 'There is nothing to play');
    }
  },
};

const remove: DirectRoute = {
  kind: 'direct',
  method: 'POST',
  path: '/dashboard/recordings/:id/delete',
  summary: 'Remove a recording',
  description: 'Removes a recording and its files.',
  auth: requireOwnForm,
  answers: [noContent],
  async handle(call) {
    const { dashboard, recordings, shares } = call.services;
    const { id } = requireEnded(await recordingOf(call));
    await orAborted(recordings.store.remove(id), call.signal);
    shares.forget(id);
    dashboard.feed.recordingsChanged();
    return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });
  },
};

export const dashboardRecordings: readonly DirectRoute[] = [video, play, remove];
