// Declares the responses of the stored-profile routes (compatibility.mdx#profiles).

import * as v from 'valibot';
import { listOf, member, named, namedObject } from './members.ts';

const members = {
  id: v.string(),
  name: v.string(),
  cookieCount: v.number(),
  originCount: member(v.number(), 'Number of sites whose localStorage or IndexedDB is stored.'),
  lastUsedAt: member(v.nullable(v.string()), 'When a browser last started with it, in ISO 8601; null if never.'),
  createdAt: member(v.string(), 'ISO 8601 timestamp.'),
  updatedAt: member(v.string(), 'ISO 8601 timestamp.'),
};

export const profile = named('Profile', v.object(members));

export const profileList = named('Profiles', listOf(v.object(members)));

export const savedProfile = namedObject('SavedProfile', {
  ...members,
  skippedMalformedCookies: v.number(),
  skippedPrivateCookies: member(v.number(), 'Cookies skipped because pages are not allowed to access their domains.'),
  skippedMalformedOrigins: v.number(),
  skippedPrivateOrigins: v.number(),
  truncatedOrigins: member(v.number(), 'Origins dropped because the profile reached its limit.'),
  skippedMalformedIdbDatabases: v.number(),
  truncatedIdbDatabases: v.number(),
  skippedMalformedIdbStores: v.number(),
  truncatedIdbEntries: v.number(),
});

export const profileLogin = namedObject('ProfileLogin', {
  id: member(v.string(), 'Id of the session in which a person logs in.'),
  name: v.string(),
  connect: member(v.string(), 'WebSocket URL for clients.'),
  stop: member(v.string(), 'Send a DELETE to this URL to end the session.'),
});

export const secret = namedObject('Secret', {
  name: v.string(),
  origins: member(listOf(v.string()), 'Origins whose pages may receive the secret.'),
  createdAt: member(v.string(), 'ISO 8601 timestamp.'),
  updatedAt: member(v.string(), 'ISO 8601 timestamp.'),
});

export const secretList = named('Secrets', listOf(secret));

export const removedProfile = named(
  'RemovedProfile',
  v.object({ success: v.boolean(), message: v.string(), name: v.string() }),
);
