/** What CDP clients ask before they connect: /json/version, /json/protocol, /json/list. Contract section 8. */
import { protocolDescriptor } from '../../browsers/protocol.ts';
import type { ManageRoute } from '../route.ts';
import { jsonResponse } from './json-response.ts';

export const jsonVersion: ManageRoute = {
  method: 'GET',
  path: '/json/version',
  summary: 'Browser version',
  description: 'Versions of the browser and the socket address that CDP clients connect to.',
  protected: true,
  answers: ['application/json'],
  handle: async ({ services }) => {
    const version = await services.pool.version();
    return jsonResponse({
      Browser: version.product,
      'Protocol-Version': version.protocolVersion,
      'User-Agent': version.userAgent,
      'V8-Version': version.jsVersion,
      'WebKit-Version': `537.36 (${version.revision})`,
      'Debugger-Version': version.revision.replace(/^@/, ''),
      webSocketDebuggerUrl: services.externalUrl().replace(/^http/, 'ws'),
    });
  },
};

export const jsonProtocol: ManageRoute = {
  method: 'GET',
  path: '/json/protocol',
  summary: 'Protocol description',
  description: 'The Chrome DevTools Protocol: version and domains.',
  protected: true,
  answers: ['application/json'],
  handle: async () => jsonResponse(await protocolDescriptor()),
};

export const jsonList: ManageRoute = {
  method: 'GET',
  path: '/json/list',
  summary: 'Open pages',
  description: 'Pages of browsers that a client owns and may attach to. Pages of REST calls are not among them.',
  protected: true,
  answers: ['application/json'],
  handle: () => jsonResponse([]),
};
