/** Transfers uploads to a watched page and its downloads to the viewer, for people whose link allows interaction. */
import { ServiceError } from '../../../base/errors.ts';
import type { LiveView } from '../../../sessions/live/live-view.ts';
import { orAborted, orReleased } from '../../../base/runtime/deadline.ts';
import { bodyOf } from '../http/body-stream.ts';
import { fileResponse } from '../http/file-response.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { requireOwnOrigin } from '../pipeline/socket-endpoint.ts';
import { findView } from './find-view.ts';

/** Time limit of a transfer, in milliseconds; longer than for programs, because a person's connection may be slow. */
const transferMs = 600_000;

const done = () => new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });

const putFile = uiRoute('PUT /live/:id/files/:ticket/:name', {
  subject: 'link',
  auth: 'open',
  async handle(call) {
    const view = viewToActIn(call);
    call.limit(transferMs);
    const { request, signal, parameter } = call;
    await orAborted(view.putFile(parameter('ticket'), parameter('name'), bodyOf(request, signal)), signal);
    return done();
  },
});

const deliverFiles = uiRoute('POST /live/:id/files/:ticket', {
  subject: 'link',
  auth: 'open',
  async handle(call) {
    await orAborted(viewToActIn(call).deliverFiles(call.parameter('ticket')), call.signal);
    return done();
  },
});

const getDownload = uiRoute('GET /live/:id/downloads/:name', {
  subject: 'link',
  auth: 'open',
  async handle(call) {
    const view = viewToActIn(call);
    call.limit(transferMs);
    const name = call.parameter('name');
    const file = await orReleased(view.readDownload(name), call.signal, (late) => void late.close());
    return fileResponse(file, name, call.request);
  },
});

export const liveFiles = [putFile, deliverFiles, getDownload];

/**
 * @throws ServiceError `session-not-found`, `too-many-viewers`; `forbidden-caller` for pages on other sites, and for a
 *   view-only link
 */
function viewToActIn(call: Call): LiveView {
  requireOwnOrigin(call);
  const view = findView(call, call.parameter('id'));
  if (view.settings.interactive) return view;
  throw new ServiceError('forbidden-caller', 'This link is view-only.');
}
