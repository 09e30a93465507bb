/** Serves the data of a recording to the player, for people who have its link. */
import { sharedQuery } from '../../../base/schema/request/query.ts';
import { parseQuery } from '../../../base/schema/parse.ts';
import { jsonResponse } from '../http/json-response.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { requireOwnOrigin } from '../pipeline/socket-endpoint.ts';
import { answerEvents } from '../recordings/events.ts';
import { requireEnded } from '../recordings/recordings.ts';
import type { RequestedTab } from '../recordings/recorded-file.ts';
import { answerMp4, answerWebm } from '../recordings/videos.ts';
import type { PlayedRecording } from '../../../web/pages/serve/played-recording.ts';
import { sharedRecording, type SharedRecording } from './shared-recording.ts';

/** Time limit in milliseconds; longer than for programs, because a video is read while it is watched. */
const watchedMs = 3_600_000;

const facts = uiRoute('GET /player/:id/meta', {
  subject: 'link',
  auth: 'open',
  async handle(call): Promise<Response> {
    const found = await sharedByPath(call);
    requireEnded(found.meta);
    return jsonResponse(playedOf(found));
  },
});

export const playerData = [
  facts,
  file('video.mp4', answerMp4),
  file('video.webm', answerWebm),
  file('events', answerEvents),
];

/** The same response as the path with this name under /recordings/<id>. */
function file(name: string, answer: (call: Call, asked: RequestedTab) => Promise<Response>) {
  return uiRoute(`GET /player/:id/${name}`, {
    subject: 'link',
    auth: 'open',
    async handle(call) {
      const { meta } = await sharedByPath(call);
      const { tab } = parseQuery(sharedQuery, call.url.searchParams);
      call.limit(watchedMs);
      return answer(call, { meta, tab });
    },
  });
}

/** @throws ServiceError `not-found`, `too-many-viewers`; `forbidden-caller` for pages on other sites */
function sharedByPath(call: Call): Promise<SharedRecording> {
  requireOwnOrigin(call);
  return sharedRecording(call, call.parameter('id'));
}

/** The metadata that a person with the link may see: nothing about the session and its browser. */
function playedOf({ link, meta }: SharedRecording): PlayedRecording {
  const { kind, state, reason, startedOn, endedOn, tabs, pagesLeftOut } = meta;
  return {
    kind,
    state: state === 'cut short' ? state : 'finished',
    reason,
    startedOn,
    endedOn: endedOn ?? startedOn,
    pagesLeftOut,
    expiresAt: link.expiresAt,
    tabs: tabs.map((tab) => ({
      tab: tab.tab,
      title: tab.title,
      website: tab.website,
      width: tab.width,
      height: tab.height,
      bytes: tab.bytes,
      eventBytes: tab.eventBytes,
      startedOn: tab.startedOn,
      endedOn: tab.endedOn ?? endedOn ?? tab.startedOn,
    })),
  };
}
