// Declares the responses of the stored-profile routes (compatibility.mdx#profiles).

import * as v from 'valibot';
import { listOf, member, named } from './members.ts';

const members = {
  id: v.string(),
  name: v.string(),
  cookieCount: v.number(),
  originCount: member(v.number(), 'Number of sites whose localStorage or IndexedDB is stored.'),
  lastUsedAt: member(v.nullable(v.string()), 'When a browser last started with it, in ISO 8601; null if never.'),
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
    skippedPrivateCookies: member(v.number(), 'Skipped cookies of addresses that pages may not access.'),
    skippedMalformedOrigins: v.number(),
    skippedPrivateOrigins: v.number(),
    truncatedOrigins: member(v.number(), 'Origins dropped because a profile may not have more.'),
    skippedMalformedIdbDatabases: v.number(),
    truncatedIdbDatabases: v.number(),
    skippedMalformedIdbStores: v.number(),
    truncatedIdbEntries: v.number(),
  }),
);

export const profileLogin = named(
  'ProfileLogin',
  v.object({
    id: member(v.string(), 'Id of the session in which a person logs in.'),
    name: v.string(),
    connect: member(v.string(), 'WebSocket URL for clients.'),
    stop: member(v.string(), 'URL whose DELETE ends the session.'),
  }),
);

export const secret = named(
  'Secret',
  v.object({
    name: v.string(),
    origins: member(listOf(v.string()), 'Origins whose pages may receive the secret.'),
    createdAt: member(v.string(), 'In ISO 8601.'),
    updatedAt: member(v.string(), 'In ISO 8601.'),
  }),
);

export const secretList = named('Secrets', listOf(secret));

export const removedProfile = named(
  'RemovedProfile',
  v.object({ success: v.boolean(), message: v.string(), name: v.string() }),
);
