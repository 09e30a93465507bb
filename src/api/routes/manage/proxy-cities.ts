/** Lists the cities of the operator's proxy provider (RESIDENTIAL_PROXY_CITIES). */
import { ServiceError } from '../../../base/errors.ts';
import { hasPlaceholder } from '../../../base/config/proxy-template.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { citiesQuery } from '../../../base/schema/request/query.ts';
import { jsonResponse } from '../http/json-response.ts';
import { directRoute } from '../pipeline/route.ts';
import { citiesResponse } from '../../../base/schema/response/manage.ts';

export const proxyCities = directRoute('manage', 'GET /proxy/cities', {
  summary: 'Cities of the residential proxy',
  description:
    'The cities that a request with proxy=residential can choose, by country. 404 if the operator has listed none with RESIDENTIAL_PROXY_CITIES.',
  query: citiesQuery,
  answers: [json(citiesResponse)],
  errors: ['not-found'],
  handle({ services }, { country }) {
    const { residential } = services.network;
    const cities = residential?.cities;
    if (!cities) {
      const advice =
        residential && hasPlaceholder(residential.template, 'city')
          ? 'Choose a city from the list of the provider: "proxyCity" accepts any'
          : 'Requests cannot choose a city here; use your own proxy with externalProxyServer';
      throw new ServiceError(
        'not-found',
        `Not Found: the operator of this server has not listed any proxy cities with RESIDENTIAL_PROXY_CITIES. ${advice}.`,
      );
    }
    const countries = [...cities.byCountry].flatMap(([code, names]) =>
      country === undefined || country.toUpperCase() === code ? { code, cities: names } : [],
    );
    return jsonResponse({
      countries,
      totalCountries: countries.length,
      totalCities: countries.reduce((sum, each) => sum + each.cities.length, 0),
      filters: { country },
    });
  },
});
