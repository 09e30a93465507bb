// Declares what /proxy/cities answers.

import * as v from 'valibot';
import { listOf, member, named } from './members.ts';

export const citiesAnswer = named(
  'ProxyCities',
  v.pipe(
    v.object({
      countries: listOf(
        v.object({
          code: member(v.string(), 'Two letters, in capitals.'),
          cities: member(listOf(v.string()), 'Names that proxyCity takes.'),
        }),
      ),
      totalCountries: v.number(),
      totalCities: v.number(),
      filters: member(v.object({ country: v.optional(v.string()) }), 'What was asked for, as it was asked.'),
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
