/** Makes the pages that have no MDX file: /search, /status and /404. The server fills their slots. */
import { renderToStaticMarkup } from 'react-dom/server';
import { createElement } from 'react';
import { resultsSlot } from '../../web/docs/serve/manifest.ts';
import type { Page } from '../../web/docs/site/model.ts';

const empty = {
  keywords: '',
  hideToc: true,
  noSample: 'made by the server',
  headings: [],
  sections: [],
  samples: { executed: 0, checked: 0, never: 0 },
};

/** The large search form of both pages. */
function searchForm(id: string): string {
  return renderToStaticMarkup(
    createElement(
      'form',
      {
        className: 'search large',
        role: 'search',
        'aria-label': 'All results',
        action: '/search',
        method: 'get',
        'data-search': '',
      },
      createElement('label', { htmlFor: id, className: 'hidden' }, 'Search the documentation'),
      createElement('input', {
        id,
        type: 'search',
        name: 'q',
        placeholder: 'Search',
        autoComplete: 'off',
        required: true,
        maxLength: 200,
      }),
    ),
  );
}

export function systemPages(): Page[] {
  return [
    {
      ...empty,
      path: '/search',
      title: 'Search the documentation',
      description: 'Search all pages of the documentation, with or without script.',
      article: `${searchForm('search-page')}${resultsSlot}`,
      markdown: '# Search\n\nAsk with /search?q=…; all pages: /llms.txt\n',
    },
    {
      ...empty,
      path: '/status',
      title: 'Server status',
      description: 'Whether this server takes calls now, its browsers and its queue.',
      article: `<p>What this server says about itself at this moment.</p>${resultsSlot}<p>Load the page again for newer figures. Programs read <a href="/pressure" data-plain="">/pressure</a> and <a href="/metrics" data-plain="">/metrics</a>.</p>`,
      markdown: '# Server status\n\nAs JSON: GET /status with Accept: application/json.\n',
    },
    {
      ...empty,
      path: '/404',
      title: 'Page Not Found',
      description: 'There is no page at this address.',
      article: `<p>There is no page at this address.</p>${searchForm('search-missing')}${resultsSlot}`,
      markdown: '',
    },
  ];
}
