// Declares the response of /proxy/cities.

import * as v from 'valibot';
import { listOf, member, named } from './members.ts';

export const citiesResponse = named(
  'ProxyCities',
  v.pipe(
    v.object({
      countries: listOf(
        v.object({
          code: member(v.string(), 'Two uppercase letters.'),
          cities: member(listOf(v.string()), 'Names that proxyCity accepts.'),
        }),
      ),
      totalCountries: v.number(),
      totalCities: v.number(),
      filters: member(v.object({ country: v.optional(v.string()) }), 'The filters of the request, unchanged.'),
    }),
    v.examples([
      {
        countries: [{ code: 'DE', cities: ['Berlin', 'Hamburg'] }],
        totalCountries: 1,
        totalCities: 2,
        filters: { country: 'de' },
      },
    ]),
  ),
);
