/** Declares the bodies, query, and responses of the routes for stored profiles. */
import * as v from 'valibot';
import { profileLimits } from '../../../base/limits.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { profile, profileList, savedProfile } from '../../../base/schema/response/profiles.ts';
import { field } from '../../../base/schema/request/primitives.ts';
import { entriesLimit, tokenQuery } from '../../../base/schema/request/query.ts';
import { nameProblem } from '../../../sessions/profiles/profiles.ts';
import { sessionBody } from '../sessions/session-body.ts';

const profileName = v.pipe(
  v.string(),
  v.check(
    (name) => nameProblem(name) === undefined,
    ({ input }) => nameProblem(String(input)) ?? 'is not a valid name',
  ),
  v.description(
    `Name of the profile: at most ${profileLimits.nameCharacters} characters, without whitespace, ?, #, or slashes.`,
  ),
);

const state = v.pipe(
  v.objectWithRest(
    {
      cookies: field(v.array(v.unknown()), 'Cookies: name, value, domain, path, expires, httpOnly, secure, sameSite.'),
      origins: field(v.array(v.unknown()), 'For each origin: origin, localStorage, and indexedDB.'),
    },
    v.unknown(),
  ),
  v.metadata({ secret: true }),
  v.description('Cookies and storage, in the format of Playwright’s `storageState({ indexedDB: true })`.'),
);

export const stateBody = v.strictObject({ name: profileName, state });

export const renameBody = v.strictObject({ name: profileName });

const { stealth, args, proxy } = sessionBody.entries;

export const loginBody = v.strictObject({
  name: profileName,
  stealth,
  browser: field(
    v.picklist(['chromium', 'chrome', 'stealth']),
    'The browser; `stealth` is chromium with "stealth": true. Default chromium.',
  ),
  args,
  proxy,
});

export const listQuery = v.strictObject({
  ...tokenQuery.entries,
  limit: entriesLimit(profileLimits.listed, 100),
  offset: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.description('Number of entries to skip.')), 0),
});

export const profileAnswers = [json(profile)] as const;
export const listAnswers = [json(profileList)] as const;
export const savedResponses = [json(savedProfile)] as const;
