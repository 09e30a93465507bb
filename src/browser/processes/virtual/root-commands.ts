/** Sorts the commands that a session with a whole browser accepts by what they affect; all others are refused. */
import { ProtocolError } from '../../cdp/connection.ts';

/** JSON-RPC 2.0 section 5.1. */
const methodNotFound = -32_601;
const serverError = -32_000;

/** Commands that affect a target specified by the command. */
export const ofTarget: ReadonlySet<string> = new Set([
  'Target.activateTarget',
  'Target.autoAttachRelated',
  'Target.closeTarget',
  'Browser.getWindowForTarget',
]);

/** Commands that affect a context specified by the command, or the default context if it specifies none. */
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

/** Commands that affect only the session, or return what every client may know. */
export const sessionOnly: ReadonlySet<string> = new Set([
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

/** Domains whose commands, on the session of a browser, affect the pages of all its contexts. */
const ofEveryPage = /^(?:Fetch|Security)\./;

/**
 * The error for all other commands: browser sessions lack the commands of pages, and commands that a newer Chromium
 * adds are not passed on either.
 */
export function refusalOf(method: string): ProtocolError {
  if (!ofEveryPage.test(method)) return new ProtocolError(method, methodNotFound, `'${method}' wasn't found`);
  const reason =
    "On the browser session, this command would affect other clients' pages, because the process is shared: send it on a page session, or connect with isolation=process.";
  return new ProtocolError(method, serverError, reason);
}
