// Defines the JSON body of /export: the fields of the other page routes, without `html`.

import * as v from 'valibot';
import { listLimits } from '../../limits.ts';
import { commonEntries } from './fields.ts';
import { field, flag, mapOf } from './primitives.ts';

const { html: _html, url: _url, setExtraHTTPHeaders, ...entries } = commonEntries;

/** Clients send numbers too, as values of headers. */
const headers = v.pipe(
  mapOf(v.union([v.string(), v.number(), v.boolean()]), listLimits.headers),
  v.transform((map) => Object.fromEntries(Object.entries(map).map(([name, value]) => [name, String(value)]))),
  setExtraHTTPHeaders.wrapped,
);

export const exportBody = v.pipe(
  v.strictObject({
    url: v.pipe(
      v.string(),
      v.trim(),
      v.nonEmpty('must be the address to export'),
      v.description('Address of the page or file.'),
    ),
    ...entries,
    setExtraHTTPHeaders,
    headers: field(headers, 'Headers added to every request of the page; the same as setExtraHTTPHeaders.'),
    blockConsentModals: flag('Answer consent dialogs with a refusal.'),
    includeResources: flag('Answer with a zip archive of the page and everything that it shows.'),
  }),
  v.transform(({ headers: also, setExtraHTTPHeaders: given, ...body }) => ({
    ...body,
    html: undefined,
    setExtraHTTPHeaders: also === undefined && given === undefined ? undefined : { ...also, ...given },
  })),
);

export type ExportBody = v.InferOutput<typeof exportBody>;
