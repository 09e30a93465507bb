// Tests what content, markdown, pdf, screenshot and scrape have in common, under every browser prefix.
import * as assert from 'uvu/assert';
import { describesResponse, refused, succeeded } from './expect.ts';
import type { Reply } from '../clients/http.ts';
import { type Service, startService, stopAll } from '../service.ts';
import { type Site, startSite } from '../site/site.ts';
import { type Suite, suite } from '../suite.ts';
import { until } from '../until.ts';

/** Prefixes that work with any Chromium; /edge has its own tests. */
const prefixes = ['', '/chromium', '/chrome'] as const;

export interface PageContract {
  route: 'content' | 'markdown' | 'pdf' | 'screenshot' | 'scrape';
  contentType: string;
  /** Added to every body. */
  extra?: Record<string, unknown>;
  /** Checks the body of a response for the site's page `/`. */
  check?: (reply: Reply) => void | Promise<void>;
}

/**
 * What the tests use: a server with the token `browserless`, one without a token, one that is always full, and a site.
 */
export interface Fixture {
  service: Service;
  open: Service;
  full: Service;
  site: Site;
}

interface Totals {
  successful: number;
  error: number;
  timedout: number;
  rejected: number;
}

/** Fires the event repeatedly, since the wait misses earlier ones and starts late on a busy machine. */
const waitingHtml = (event: string) =>
  `<h1>waiting</h1><script>setInterval(() => document.dispatchEvent(new Event('${event}')), 300)</script>`;

/** Counters of /metrics/total that the tests compare. */
async function totals(service: Service): Promise<Totals> {
  const { successful, error, timedout, rejected } = (await service.get('/metrics/total')).json<Totals>();
  return { successful, error, timedout, rejected };
}

/**
 * Declares the shared tests and returns the suite, so that a route can add its own. The before hook starts the servers
 * and the site.
 */
export function pageContract({ route, contentType, extra = {}, check }: PageContract): {
  test: Suite;
  fixture: Fixture;
} {
  const test = suite(`contract: ${route}`);
  const fixture = {} as Fixture; // Filled by the before hook; if that fails, so does the file.
  test.before(async () => {
    fixture.site = await startSite();
    fixture.service = await startService({ env: { TOKEN: 'browserless' } });
    fixture.open = await startService();
    fixture.full = await startService({ env: { TOKEN: 'browserless', CONCURRENT: '0', QUEUED: '0' } });
  });
  test.after(() => stopAll(fixture.service, fixture.open, fixture.full, fixture.site));

  const peer = (behavior: string) => {
    if (route !== 'markdown') test.peer('REST routes', `${route}: ${behavior}`);
  };

  for (const prefix of prefixes) {
    const path = `${prefix}/${route}`;
    const declare = (name: string, body: (signal: AbortSignal) => unknown) => {
      peer(name);
      test(`${path}: ${name}`, body);
    };
    const url = (at = '/') => `${fixture.site.url}${at}`;
    const row = (name: string, body: () => Record<string, unknown>, query: Record<string, string> = {}) =>
      declare(name, async (signal) => {
        succeeded(await fixture.service.post(path, { ...body(), ...extra }, { query, signal }), contentType);
      });

    peer('the response has the type and the five X-Response headers');
    declare('url', async (signal) => {
      const reply = await fixture.service.post(path, { url: url(), ...extra }, { signal });
      succeeded(reply, contentType);
      describesResponse(reply, url());
      await check?.(reply);
    });
    declare('GET returns 404', async () => {
      const reply = await fixture.service.get(path);
      refused(reply, 404, /^Not Found/);
      assert.match(reply.headers['content-type'] ?? '', /^text\/plain; charset=utf-8$/i);
    });
    // The prefixes choose the browser; the rest of the code is the same.
    if (prefix !== prefixes[0]) continue;
    row('html', () => ({ html: '<h1>Inline</h1>' }));
    row('waitForFunction, sync', () => ({
      url: url('/late'),
      waitForFunction: { fn: "() => window.arrived === 'yes'" },
    }));
    row('waitForFunction, async', () => ({
      url: url('/late'),
      waitForFunction: {
        fn: "async () => { await new Promise((r) => setTimeout(r, 5)); return window.arrived === 'yes'; }",
      },
    }));
    row('waitForSelector', () => ({ url: url('/late'), waitForSelector: { selector: '.late' } }));
    row('waitForTimeout', () => ({ url: url(), waitForTimeout: 50 }));
    row('waitForEvent', () => ({ html: waitingHtml('customEvent'), waitForEvent: { event: 'customEvent' } }));
    row('cookies with domain', () => ({
      url: url('/cookies'),
      cookies: [{ name: 'foo', value: 'bar', domain: '127.0.0.1' }],
    }));
    row('gotoOptions', () => ({ url: url(), gotoOptions: { waitUntil: 'networkidle2' } }));
    row('requestInterceptors', () => ({
      url: url(),
      requestInterceptors: [
        { pattern: '.*', response: { body: '<h1>canned</h1>', contentType: 'text/html', status: 200 } },
      ],
    }));
    row('a self-signed target', () => ({ url: `${fixture.site.secureUrl}/` }), {
      launch: JSON.stringify({ acceptInsecureCerts: true }),
    });
    declare('?timeout=10', async (signal) => {
      const reply = await fixture.service.post(
        path,
        { url: url('/slow?ms=5000'), ...extra },
        { query: { timeout: 10 }, signal },
      );
      refused(reply, 408, /^Request has timed out after 10 ms(: it was waiting for .+)?\n$/);
      assert.match(reply.headers['content-type'] ?? '', /^text\/plain/);
    });
    test.differs('A full server does not report when to retry');
    declare('returns 429 when the server is full', async (signal) => {
      const reply = await fixture.full.post(path, { url: url(), ...extra }, { signal });
      refused(reply, 429);
      assert.is(reply.text, 'Too many requests\n');
      assert.ok(Number(reply.headers['retry-after']) >= 1, 'Retry-After is missing');
    });
    declare('works without a token if none is configured', async (signal) => {
      succeeded(await fixture.open.post(path, { url: url(), ...extra }, { signal }), contentType);
    });
    declare('returns 401 without a token', async (signal) => {
      const reply = await fixture.service.post(path, { url: url(), ...extra }, { token: null, signal });
      refused(reply, 401);
      assert.is(reply.text, 'Bad or missing authentication.\n');
    });
    declare('returns 400 without url and html', async (signal) => {
      refused(
        await fixture.service.post(path, { ...extra }, { signal }),
        400,
        'One of "url" or "html" properties are required.',
      );
    });
    declare('counts an early disconnect as an error', async () => {
      const before = await totals(fixture.service);
      fixture.site.clear();
      const leave = new AbortController();
      const reply = fixture.service.post(path, { url: url('/hang'), ...extra }, { signal: leave.signal });
      const gone = reply.then(
        () => 'answered',
        () => 'gone',
      );
      await fixture.site.waitForRequest('/hang');
      leave.abort();
      assert.is(await gone, 'gone');
      await until('the error to be counted', async () => (await totals(fixture.service)).error === before.error + 1);
      assert.is((await totals(fixture.service)).successful, before.successful);
      await fixture.site.waitForConnections();
    });
  }

  peer('under /edge, or a 404 if Edge is not installed');
  test(`/edge/${route}: names EDGE_PATH if Edge is missing`, async (signal) => {
    const reply = await fixture.service.post(`/edge/${route}`, { url: `${fixture.site.url}/`, ...extra }, { signal });
    if (reply.status !== 200) refused(reply, 404, 'EDGE_PATH');
  });
  return { test, fixture };
}
