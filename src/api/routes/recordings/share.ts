/** Creates and ends links to play a recording without a token (compatibility.mdx#recordings). */
import * as v from 'valibot';
import { ServiceError } from '../../../base/errors.ts';
import { shareLimits } from '../../../base/limits.ts';
import { json, noContent } from '../../../base/schema/response/responses.ts';
import { shareLink } from '../../../base/schema/response/recordings.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { field } from '../../../base/schema/request/primitives.ts';
import { tokenQuery } from '../../../base/schema/request/query.ts';
import { readOptionalBody } from '../http/body.ts';
import { jsonResponse } from '../http/json-response.ts';
import { playerUrl } from '../http/public-url.ts';
import { directRoute } from '../pipeline/route.ts';
import { recordingOf } from './recordings.ts';

const shareBody = v.strictObject({
  timeout: field(
    v.pipe(v.number(), v.minValue(1), v.maxValue(shareLimits.maxMs)),
    'How long the link works, in milliseconds: at most 7 days. Default: one hour.',
  ),
});

export const shareRecording = directRoute('recordings', 'POST /recordings/:id/share', {
  subject: 'recording',
  summary: 'A link to a recording',
  description:
    'Creates a link to play a recording without a token. The link works until it expires or is deleted, the recording is removed, or the server restarts.',
  query: tokenQuery,
  body: shareBody,
  example: { timeout: 86_400_000 },
  answers: [json(shareLink)],
  errors: ['not-found', 'bad-request'],
  async handle(call) {
    const { request, services, base } = call;
    const limitBytes = services.config.MAX_PAYLOAD_SIZE;
    const body = parseBody(shareBody, await readOptionalBody('recordings/<id>/share', request, limitBytes));
    const recording = await recordingOf(call);
    const { id, expiresAt } = services.sessions.shares.share(recording, body.timeout ?? shareLimits.defaultMs);
    return jsonResponse({ url: playerUrl(base, id), id, expiresAt });
  },
});

export const endShare = directRoute('recordings', 'DELETE /recordings/:id/share/:share', {
  subject: 'recording',
  summary: 'Revoke a link to a recording',
  description: 'Revokes a link; 404 if it has already expired.',
  query: tokenQuery,
  answers: [noContent],
  errors: ['not-found'],
  async handle(call) {
    const { id } = await recordingOf(call);
    if (!call.services.sessions.shares.end(id, call.parameter('share'))) {
      throw new ServiceError('not-found', 'The recording has no link with this id, or it has expired.');
    }
    return new Response(null, { status: 204, headers: { 'Content-Type': 'text/plain' } });
  },
});

export const openPlayer = directRoute('recordings', 'GET /recordings/:id/player', {
  subject: 'recording',
  summary: 'Play a recording',
  description:
    'Redirects to the page that plays a recording, with a link that works for one hour, so that the URL contains no token.',
  query: tokenQuery,
  answers: [{ status: 303, type: undefined }],
  errors: ['not-found'],
  async handle(call) {
    const recording = await recordingOf(call);
    const visit = () => playerUrl(call.base, call.services.sessions.shares.visit(recording).id);
    // HEAD only checks that the recording exists: it does not create a link.
    const location = call.request.method === 'HEAD' ? {} : { Location: visit() };
    return new Response(null, {
      status: 303,
      headers: { ...location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    });
  },
});
