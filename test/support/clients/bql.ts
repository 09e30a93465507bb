// Runs BrowserQL documents against the real server and asserts what their responses contain.
import * as assert from 'uvu/assert';
import type { Reply } from './http.ts';
import type { Service, ServiceOptions } from '../service.ts';
import { type Fixture, fixtureSuite } from '../fixture.ts';
import type { Suite } from '../suite.ts';

export interface BqlAnswer {
  // The document determines the shape of its response; a test that reads a missing field fails anyway.
  data: Record<string, any>;
  errors?: { message: string; path?: (string | number)[]; locations?: object[]; extensions?: { code: string } }[];
}

export interface RunOptions {
  variables?: Record<string, unknown>;
  operationName?: string;
  /** Query parameters of the request. */
  query?: Record<string, string | number | boolean>;
  path?: string;
}

export interface BqlFixture extends Fixture {
  /**
   * Posts a document and returns any response. SITE and OTHER in the document are replaced with the site's two origins.
   */
  send(document: string, options?: RunOptions): Promise<Reply>;
  /** Like `send`, but the status must be 200. */
  run(document: string, options?: RunOptions): Promise<BqlAnswer>;
  /** Returns the data of a response, which must have no errors. */
  data(document: string, options?: RunOptions): Promise<Record<string, any>>;
  /** Asserts that the operation with this key is null, with an error that has this code and contains the strings. */
  fails(document: string, key: string, code: string, ...mentions: (string | RegExp)[]): Promise<BqlAnswer>;
}

/** The document with the site's origins in place of SITE and OTHER. */
export function placed(document: string, { site }: Pick<Fixture, 'site'>): string {
  return document.replaceAll('SITE', site.url).replaceAll('OTHER', site.otherUrl);
}

export function send(service: Service, document: string, options: RunOptions = {}): Promise<Reply> {
  const { variables, operationName, query = {}, path = '/chromium/bql' } = options;
  return service.post(
    path,
    { query: document, ...(variables ? { variables } : {}), ...(operationName ? { operationName } : {}) },
    { query },
  );
}

/** Creates a suite with a shared site and server that runs documents. */
export function bqlSuite(name: string, options: ServiceOptions = {}): { test: Suite; fixture: BqlFixture } {
  const { test, fixture } = fixtureSuite(name, options);
  const bql: BqlFixture = Object.assign(fixture, {
    send: (document: string, given: RunOptions = {}) => send(fixture.service, placed(document, fixture), given),
    async run(document: string, given: RunOptions = {}) {
      const reply = await bql.send(document, given);
      assert.ok(reply.status === 200, `status ${reply.status}: ${reply.text.slice(0, 1_000)}`);
      return reply.json<BqlAnswer>();
    },
    async data(document: string, given: RunOptions = {}) {
      const { data, errors } = await bql.run(document, given);
      assert.ok(
        errors === undefined,
        `unexpected errors: ${JSON.stringify(errors)} (data ${JSON.stringify(data).slice(0, 500)})`,
      );
      return data;
    },
    async fails(document: string, key: string, code: string, ...mentions: (string | RegExp)[]) {
      const answer = await bql.run(document);
      const said = JSON.stringify(answer).slice(0, 1_500);
      const error = answer.errors?.find(({ path }) => path?.at(-1) === key);
      assert.ok(answer.data[key] === null || error?.path?.length !== 1, `expected "${key}" to be null: ${said}`);
      assert.ok(error !== undefined, `expected an error for "${key}": ${said}`);
      assert.is(error.extensions?.code, code, said);
      for (const mention of mentions) {
        const there = typeof mention === 'string' ? error.message.includes(mention) : mention.test(error.message);
        assert.ok(there, `expected the message to mention ${mention}: ${said}`);
      }
      return answer;
    },
  });
  return { test, fixture: bql };
}
