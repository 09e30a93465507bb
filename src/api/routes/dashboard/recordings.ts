/** Serves the dashboard actions on recordings: play, download, and remove them. */
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
  nothing: 'There is nothing to play',
  async open(call) {
    const recording = requireEnded(await recordingOf(call));
    const { id } = call.services.sessions.shares.visit(recording);
    return (base) => playerUrl(base, id);
  },
});

const remove = uiRoute('POST /dashboard/recordings/:id/delete', {
  subject: 'recording',
  auth: requireOwnForm,
  async handle(call) {
    await removeRecording(call);
    return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });
  },
});

export const dashboardRecordings = [video, play, remove];
