/** Lets people download and remove recordings on the dashboard. */
import { orAborted } from '../../runtime/deadline.ts';
import { noContent } from '../../schema/answer/answers.ts';
import type { DirectRoute } from '../pipeline/route.ts';
import { recordingOf, requireEnded } from '../recordings/recordings.ts';
import { recordedMp4 } from '../recordings/videos.ts';
import { requireOwnForm, requireSignedIn } from './guard.ts';

const video: DirectRoute = {
  ...recordedMp4,
  path: '/dashboard/recordings/:id/video.mp4',
  auth: requireSignedIn,
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
    const { dashboard, recordings } = call.services;
    const { id } = requireEnded(await recordingOf(call));
    await orAborted(recordings.store.remove(id), call.signal);
    dashboard.feed.recordingsChanged();
    return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });
  },
};

export const dashboardRecordings: readonly DirectRoute[] = [video, remove];
