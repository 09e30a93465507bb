/** Lists every route on the server. */
import { resumedRoutes } from './bql/resume-document.ts';
import { freshRoutes } from './bql/run-document.ts';
import { bqlSockets } from './bql/sockets.ts';
import { schemaDocument } from './bql/schema-document.ts';
import { content } from './rest/content.ts';
import { download } from './rest/download.ts';
import { exportPage } from './rest/export.ts';
import { functionRoute } from './rest/function.ts';
import { functionInBrowser } from './rest/function-in-browser.ts';
import { markdown } from './rest/markdown.ts';
import { performance } from './rest/performance.ts';
import { pdf } from './rest/pdf.ts';
import { scrape } from './rest/scrape.ts';
import { screenshot } from './rest/screenshot.ts';
import { unblockRoute } from './rest/unblock.ts';
import { graphql } from './graphql/graphql.ts';
import { account } from './manage/account.ts';
import { jsonList, jsonNew, jsonProtocol, jsonVersion } from './manage/discovery.ts';
import { keyDirectory } from './manage/key-directory.ts';
import { drain } from './manage/drain.ts';
import { metrics, metricsTotal } from './manage/metrics.ts';
import { openApiRoutes } from './manage/openapi.ts';
import { endBrowser, kill, sessions } from './sessions/list.ts';
import { healthz, ready } from './manage/probes.ts';
import { proxyCities } from './manage/proxy-cities.ts';
import { active, config, meta, pressure } from './manage/status.ts';
import { dashboardEvents } from './dashboard/events.ts';
import { dashboardPlace } from './dashboard/guard.ts';
import { dashboardPage, signIn, signOut } from './dashboard/pages.ts';
import { dashboardRecordings } from './dashboard/recordings.ts';
import { dashboardSessions } from './dashboard/sessions.ts';
import { docsFacts } from './docs/facts.ts';
import { docsSignIn, docsSignOut } from './docs/sign-in.ts';
import { debuggerPage } from './devtools/debugger.ts';
import { devtoolsFrontEnd } from './devtools/front-end.ts';
import type { ApiRoute, DirectRoute, JobRoute, SocketRoute, UiSocketRoute } from './pipeline/route.ts';
import { createLive, deleteLive, getLive } from './live/live-rest.ts';
import { liveFiles } from './live/live-files.ts';
import { livePages, uiFiles } from './live/live-page.ts';
import { liveSockets } from './live/live-socket.ts';
import { sessionConnect } from './sessions/connect.ts';
import { createSession, deleteSession } from './sessions/stored-sessions.ts';
import { browserSockets } from './sockets/browsers.ts';
import { devtoolsBrowser, devtoolsPage, functionConnect } from './sessions/devtools.ts';
import { playwrightSockets } from './sockets/playwright.ts';
import { deleteSessionFile, getSessionFile, listSessionFiles, putSessionFile } from './sessions/session-files.ts';
import { playerData } from './player/player-data.ts';
import { playerPages } from './player/player-page.ts';
import { loginForProfile } from './profiles/login.ts';
import { deleteProfile, getProfile, listProfiles, renameProfile } from './profiles/profiles.ts';
import { deleteSecret, listSecrets, putSecret } from './profiles/secrets.ts';
import { refreshProfile, uploadProfile } from './profiles/upload.ts';
import { recordedEvents } from './recordings/events.ts';
import { deleteRecording, getRecording, listRecordings } from './recordings/recordings.ts';
import { endShare, openPlayer, shareRecording } from './recordings/share.ts';
import { recordedMp4, recordedWebm } from './recordings/videos.ts';
import { reconnectInfo, reconnectSocket } from './sessions/reconnect.ts';

export const jobRoutes: readonly JobRoute[] = [
  content,
  markdown,
  pdf,
  screenshot,
  scrape,
  exportPage,
  functionRoute,
  functionInBrowser,
  performance,
  download,
  unblockRoute,
  ...freshRoutes,
  ...resumedRoutes,
];

const describedRoutes: readonly ApiRoute[] = [
  healthz,
  ready,
  active,
  pressure,
  meta,
  config,
  account,
  graphql,
  proxyCities,
  sessions,
  kill,
  metrics,
  metricsTotal,
  drain,
  jsonVersion,
  jsonProtocol,
  jsonList,
  jsonNew,
  createSession,
  deleteSession,
  reconnectInfo,
  listSessionFiles,
  getSessionFile,
  putSessionFile,
  deleteSessionFile,
  loginForProfile,
  uploadProfile,
  refreshProfile,
  listProfiles,
  getProfile,
  renameProfile,
  deleteProfile,
  listSecrets,
  putSecret,
  deleteSecret,
  listRecordings,
  getRecording,
  deleteRecording,
  recordedMp4,
  recordedWebm,
  shareRecording,
  endShare,
  openPlayer,
  recordedEvents,
  endBrowser,
  createLive,
  getLive,
  deleteLive,
  schemaDocument,
  keyDirectory,
  docsFacts,
];

export const socketRoutes: readonly SocketRoute[] = [
  ...browserSockets,
  ...playwrightSockets,
  devtoolsBrowser,
  devtoolsPage,
  functionConnect,
  reconnectSocket,
  sessionConnect,
  ...bqlSockets,
];

export const directRoutes: readonly ApiRoute[] = [
  ...describedRoutes,
  ...openApiRoutes({ jobRoutes, directRoutes: describedRoutes, socketRoutes }),
];

/** Routes for people's browsers: pages and their files, which are not part of the API or its description. */
export const uiRoutes: readonly DirectRoute[] = [
  debuggerPage,
  devtoolsFrontEnd,
  ...livePages,
  uiFiles,
  ...liveFiles,
  ...[dashboardPage, signIn, signOut, dashboardEvents, ...dashboardSessions, ...dashboardRecordings].map((route) => ({
    ...route,
    signIn: dashboardPlace,
  })),
  ...playerPages,
  ...playerData,
  docsSignIn,
  docsSignOut,
];

/** Sockets of the pages in `uiRoutes`. */
export const uiSocketRoutes: readonly UiSocketRoute[] = liveSockets;
