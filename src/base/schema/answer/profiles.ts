// Declares what the routes of stored profiles answer (compatibility.mdx#profiles).

import * as v from 'valibot';
import { listOf, member, named } from './members.ts';

const members = {
  id: v.string(),
  name: v.string(),
  cookieCount: v.number(),
  originCount: member(v.number(), 'Sites whose localStorage or IndexedDB it has.'),
  lastUsedAt: member(v.nullable(v.string()), 'When a browser last began with it, in ISO 8601; null before that.'),
  createdAt: member(v.string(), 'In ISO 8601.'),
  updatedAt: member(v.string(), 'In ISO 8601.'),
};

export const profile = named('Profile', v.object(members));

export const profileList = named('Profiles', listOf(v.object(members)));

export const savedProfile = named(
  'SavedProfile',
  v.object({
    ...members,
    skippedMalformedCookies: v.number(),
    skippedPrivateCookies: member(v.number(), 'Cookies of addresses that the server keeps pages from.'),
    skippedMalformedOrigins: v.number(),
    skippedPrivateOrigins: v.number(),
    truncatedOrigins: member(v.number(), 'Origins beyond those that a profile may have.'),
    skippedMalformedIdbDatabases: v.number(),
    truncatedIdbDatabases: v.number(),
    skippedMalformedIdbStores: v.number(),
    truncatedIdbEntries: v.number(),
  }),
);

export const profileLogin = named(
  'ProfileLogin',
  v.object({
    id: member(v.string(), 'Id of the session in which somebody logs in.'),
    name: v.string(),
    connect: member(v.string(), 'Socket that clients connect to.'),
    stop: member(v.string(), 'Address whose DELETE ends the session.'),
  }),
);

export const secret = named(
  'Secret',
  v.object({
    name: v.string(),
    origins: member(listOf(v.string()), 'Origins whose pages may get it.'),
    createdAt: member(v.string(), 'In ISO 8601.'),
    updatedAt: member(v.string(), 'In ISO 8601.'),
  }),
);

export const secretList = named('Secrets', listOf(secret));

export const removedProfile = named(
  'RemovedProfile',
  v.object({ success: v.boolean(), message: v.string(), name: v.string() }),
);
