/** Serves the dashboard actions on recordings: play, download, and remove them. */
import { noContent } from '../../../base/schema/response/responses.ts';
import { playerUrl } from '../http/public-url.ts';
import { uiRoute } from '../pipeline/route.ts';
import { recordingOf, removeRecording, requireEnded } from '../recordings/recordings.ts';
import { recordedMp4 } from '../recordings/videos.ts';
import { requireOwnForm, requireSignedIn } from './guard.ts';
import { windowRoute } from './window-route.ts';

const video = {
  ...recordedMp4,
  path: '/dashboard/recordings/:id/video.mp4',
  auth: requireSignedIn,
};

const play = windowRoute({
  path: '/dashboard/recordings/:id/play',
  subject: 'recording',
  summary: 'Play a recording',
  description:
    'Creates a player link that works for one hour and redirects a browser to it; other clients get the link as JSON.',
  nothing: 'There is nothing to play',
  async open(call) {
    const recording = requireEnded(await recordingOf(call));
    const { id } = call.services.sessions.shares.visit(recording);
    return (base) => playerUrl(base, id);
  },
});

const remove = uiRoute({
  method: 'POST',
  path: '/dashboard/recordings/:id/delete',
  subject: 'recording',
  summary: 'Remove a recording',
  description: 'Removes a recording and its files.',
  auth: requireOwnForm,
  answers: [noContent],
  async handle(call) {
    await removeRecording(call);
    return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });
  },
});

export const dashboardRecordings = [video, play, remove];
