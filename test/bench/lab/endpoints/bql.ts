// BrowserQL endpoints: a document opens the page, clicks and types.
import type { BqlAnswer } from '../../../support/clients/bql.ts';
import { type Endpoint, requireSuccess } from './endpoint.ts';

const open = `goto(url: $url, waitUntil: domContentLoaded, timeout: 30000) { status }
  ready: waitForSelector(selector: $selector, timeout: 30000) { time }`;

const opens = `mutation Open($url: String!, $selector: String!) { ${open} }`;

const opensAndTypes = `mutation OpenAndType($url: String!, $selector: String!, $text: String!) {
  ${open}
  click(selector: "#go") { time }
  type(selector: "#in", text: $text) { time }
  sent: waitForSelector(selector: "#sent", timeout: 30000) { time }
}`;

export function bqlEndpoint(row: Pick<Endpoint, 'name' | 'title' | 'stealth'>, path: string, query = {}): Endpoint {
  return {
    ...row,
    types: true,
    async visit(service, { url, selector, type, signal }) {
      const document = type === undefined ? opens : opensAndTypes;
      const variables = { url, selector, ...(type === undefined ? {} : { text: type }) };
      const reply = await service.post(path, { query: document, variables }, { signal, query });
      requireSuccess(reply);
      const [error] = reply.json<BqlAnswer>().errors ?? [];
      if (error !== undefined) throw new Error(error.message);
    },
  };
}
