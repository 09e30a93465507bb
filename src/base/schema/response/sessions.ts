// Declares the responses about sessions and their pages: /sessions, /session, /reconnect, /json/list and /json/new.

import * as v from 'valibot';
import { anyMembers, listOf, member, named, namedObject, timestamp } from './members.ts';

const targetMembers = {
  type: v.literal('page'),
  id: member(v.string(), 'Target id of the page.'),
  title: v.string(),
  url: v.string(),
  description: v.string(),
  webSocketDebuggerUrl: member(v.string(), 'WebSocket URL of the page, for CDP clients.'),
  devtoolsFrontendUrl: member(v.string(), 'Path of the inspector.'),
};

/** A page, as in Chromium's own list. */
export const target = named('Target', v.object(targetMembers));

export const targets = named('Targets', listOf(target));

const pageMembers = {
  ...targetMembers,
  browserWSEndpoint: member(v.string(), 'WebSocket URL of the browser, for CDP clients.'),
};

const page = v.object(pageMembers);

export type PageDescription = v.InferOutput<typeof page>;

const sessionMembers = {
  browserId: v.string(),
  browser: member(v.string(), 'Kind of browser, such as ChromiumCDP or FirefoxPlaywright.'),
  initialConnectURL: member(v.string(), 'URL of the first request, without the token.'),
  isTempDataDir: member(v.boolean(), 'True when the profile is deleted with the session.'),
  running: member(v.boolean(), 'False for a POST /session session that currently has no browser.'),
  killURL: v.string(),
  launchOptions: anyMembers,
  numbConnected: member(v.number(), 'Clients that are connected now.'),
  startedOn: timestamp('When it started'),
  timeAliveMs: v.number(),
  ttl: member(v.number(), 'Time limit in milliseconds; 0 for none.'),
  routePath: listOf(v.string()),
  trackingId: v.nullable(v.string()),
  userDataDir: member(v.nullable(v.string()), 'Path of the profile; null for a page in a shared browser.'),
  scratchDir: member(v.nullable(v.string()), 'TMPDIR of the browser.'),
};

/** Each browser, followed by its pages with the browser's fields. */
export const sessionList = named(
  'Sessions',
  listOf(
    v.union([
      v.object({ ...sessionMembers, type: v.literal('browser'), id: member(v.string(), 'Id of the browser.') }),
      v.object({ ...sessionMembers, ...pageMembers }),
    ]),
  ),
);

export const storedSession = namedObject('Session', {
  id: v.string(),
  connect: member(v.string(), 'WebSocket URL for clients.'),
  ttl: member(v.number(), 'Time to live in milliseconds.'),
  stop: member(v.string(), 'Send a DELETE to this URL to end the session.'),
  browserQL: member(v.string(), 'BrowserQL URL for this session.'),
});

export const keptBrowser = namedObject('KeptBrowser', {
  id: v.string(),
  Browser: member(v.string(), 'Name and version.'),
  'User-Agent': v.string(),
  numbConnected: member(v.number(), 'Clients that are connected now.'),
  webSocketDebuggerUrl: member(v.string(), 'WebSocket URL for reconnecting clients.'),
  pages: listOf(page),
});

export const sessionFile = namedObject('SessionFile', {
  name: v.string(),
  size: member(v.number(), 'In bytes.'),
  modifiedOn: timestamp('When the file last changed'),
  path: member(v.string(), 'Absolute path on the server.'),
  url: member(v.string(), 'URL of the file on this server.'),
});

export const sessionFiles = namedObject('SessionFiles', {
  directory: member(v.string(), 'Directory of the files on the server.'),
  files: listOf(sessionFile),
});
