/** Sorts the commands that a session with a whole browser takes by whom they concern; all others are refused. */
import { ProtocolError } from '../../cdp/connection.ts';

/** JSON-RPC 2.0 section 5.1. */
const methodNotFound = -32_601;
const serverError = -32_000;

/** Commands about a target that they name. */
export const ofTarget: ReadonlySet<string> = new Set([
  'Target.activateTarget',
  'Target.autoAttachRelated',
  'Target.closeTarget',
  'Browser.getWindowForTarget',
]);

/** Commands about a context that they name. Without one they mean the default context. */
export const ofContext: ReadonlySet<string> = new Set([
  'Browser.cancelDownload',
  'Browser.grantPermissions',
  'Browser.resetPermissions',
  'Browser.setDownloadBehavior',
  'Browser.setPermission',
  'Storage.clearCookies',
  'Storage.getCookies',
  'Storage.setCookies',
  'Target.createTarget',
]);

/** Commands that concern the session alone, or tell what every client may know. */
export const ofNobody: ReadonlySet<string> = new Set([
  'Browser.getVersion',
  'Emulation.getScreenInfos',
  'IO.close',
  'IO.read',
  'Runtime.runIfWaitingForDebugger',
  'Security.disable',
  'Security.enable',
  'Tracing.end',
  'Tracing.getCategories',
  'Tracing.getTrackEventDescriptor',
]);

/** Domains whose commands, on the session of a browser, concern the pages of all its contexts. */
const ofEveryPage = /^(?:Fetch|Security)\./;

/** Sessions of browsers lack the commands of pages; what a newer Chromium adds is not passed either. */
export function refusalOf(method: string): ProtocolError {
  if (!ofEveryPage.test(method)) return new ProtocolError(method, methodNotFound, `'${method}' wasn't found`);
  const reason =
    'On the session of the browser it would reach pages of other clients, because the process is shared: send it on the session of a page, or connect with isolation=process.';
  return new ProtocolError(method, serverError, reason);
}
