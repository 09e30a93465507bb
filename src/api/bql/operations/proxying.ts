/**
 * Implements proxy: the server fetches matching requests through a proxy in place of the browser. A stealth browser
 * makes them itself to keep its TLS fingerprint, so its connections are routed through the proxy by host.
 */
import {
  type CompiledMatch,
  compileMatch,
  matchesGlob,
  type RequestMatch,
} from '../../../browser/page/requests/request-match.ts';
import { parseValue } from '../../../base/schema/parse.ts';
import { proxyPlace } from '../../../base/schema/request/query.ts';
import { startDeadline } from '../../../base/runtime/deadline.ts';
import { type Maybe, operation } from '../run/operation.ts';
import { badArgument } from '../run/step-error.ts';
import { masked, maskedRequest } from '../run/mask.ts';
import { withoutNulls } from '../run/records.ts';
import { type MatchArgs, toMatch } from './network.ts';
import { fromBase64, toBase64 } from '../../../base/runtime/bytes.ts';

interface ProxyArgs extends MatchArgs {
  server?: Maybe<string>;
  country?: Maybe<string>;
  city?: Maybe<string>;
  state?: Maybe<string>;
  sticky?: Maybe<boolean>;
}

/** Time limit for the response of a site behind the proxy, in milliseconds. */
const fetchLimitMs = 60_000;

export const proxy = operation<ProxyArgs>({
  async run({ args, page, tab, session, step }) {
    const { server, country, city, state, sticky } = args;
    const place = { country, city, state, sticky };
    const chosen = Object.entries(place).find(([, value]) => value !== null && value !== undefined);
    if (typeof server === 'string' && chosen) {
      throw badArgument(`"server" cannot be combined with "${chosen[0]}": specify a proxy or a location, not both.`);
    }
    if (typeof server === 'string') {
      const { environment, marks, secrets } = session;
      if (secrets.size > 0 && (environment.exposure.insecure || marks.plainSecrets)) {
        throw badArgument(
          '"server" is refused because loadSecret has filled in a secret that the proxy could read: the browser accepts unverified certificates, or the secret may be sent to http pages.',
        );
      }
    }
    parseValue(proxyPlace, withoutNulls({ city, state }), 'invalid-body', 'proxy');
    const { stealth } = session.environment;
    const hosts = stealth && toHosts(toMatch(args));
    if (stealth && !stealth.routes) {
      throw badArgument(
        'This stealth browser already has a proxy or allowed domains, which cannot be combined with another proxy. Remove one of them.',
      );
    }
    const compiled = compileMatch(toMatch(args));
    const match: CompiledMatch = {
      empty: compiled.empty,
      test: (each) => compiled.test(maskedRequest(each, session.secrets)),
    };
    // Load this before opening the proxy: no await may come between opening it and registering its cleanup.
    const { ResponseTooLarge, fetchThrough } = await import('../../../base/runtime/fetch-through.ts');
    if (typeof server === 'string') {
      session.marks.ownProxy = true;
      session.marks.traces.exposed ||= session.environment.exposure.insecure;
    }
    const opened = await session.environment.openProxy({
      server: server ?? undefined,
      country: country ?? undefined,
      city: city ?? undefined,
      state: state ?? undefined,
      sticky: sticky ?? undefined,
    });
    if (hosts && stealth.routes) {
      const back =
        hosts.length === 0 ? undefined : stealth.routes.add({ matches: oneOf(hosts), proxyServer: opened.server });
      page.undo(() => {
        back?.();
        opened[Symbol.dispose]();
      });
      step.check();
      return {};
    }
    const through = fetchThrough(opened.server, { insecure: opened.insecure });
    const close = page.undo(() => {
      through[Symbol.dispose]();
      opened[Symbol.dispose]();
    });
    step.check();
    // Without a matcher no request goes through the proxy.
    if (match.empty) {
      close();
      return {};
    }
    await tab.rules.add({
      action: 'fetch',
      match,
      end: close,
      async fetch({ url, method, headers, body }) {
        using deadline = startDeadline(fetchLimitMs, () => new Error('the site behind the proxy did not respond'), [
          page.signal,
        ]);
        const { cookies } = await page.session.send('Network.getCookies', { urls: [url] });
        const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
        const sent = {
          url,
          method,
          headers: session.environment.signed(url, cookie === '' ? headers : { ...headers, Cookie: cookie }),
          body: body === undefined ? undefined : fromBase64(body),
        };
        try {
          const answer = await through.fetch(sent, deadline.signal);
          const taken = () => answer[Symbol.dispose]();
          return { status: answer.status, headers: answer.headers, body: toBase64(answer.body), taken };
        } catch (error) {
          if (!(error instanceof ResponseTooLarge)) throw error;
          session.environment.log.warn('bql.proxy-answer-too-large', {
            url: masked(url, session.secrets),
            reason: error.message,
          });
          const contentType = { name: 'Content-Type', value: 'text/plain; charset=UTF-8' };
          return { status: 502, headers: [contentType], body: toBase64(new TextEncoder().encode(error.message)) };
        }
      },
    });
    return {};
  },
});

interface Hosts {
  /** Glob of hostnames, in lowercase. */
  host: string;
  /** Undefined for any port. */
  port: number | undefined;
}

/**
 * Matches URL globs that specify only hosts: `*`, `*.example.com`, `https://example.com/*`, `*://example.com:8080/*`.
 */
const hostGlob =
  /^(?:(?<scheme>\*|https?|wss?):\/\/)?(?<host>[^/?#:]+|\*?\[[\da-f:*]+\])(?::(?<port>\d+|\*))?(?:\/\*?)?$/i;
const defaultPorts: Readonly<Record<string, number>> = { http: 80, ws: 80, https: 443, wss: 443 };

/** @throws StepError `BAD_ARGUMENT` for paths, methods and request types, which a connection does not reveal */
function toHosts({ url = [], method = [], type = [] }: RequestMatch): Hosts[] {
  const other = method.length > 0 ? 'method' : type.length > 0 ? 'type' : undefined;
  if (other !== undefined) {
    throw badArgument(
      `"${other}" cannot select a proxy in a stealth browser, which routes connections by host: remove it, or send the document to /chromium/bql.`,
    );
  }
  return url.map((glob) => {
    const { scheme, host, port } = hostGlob.exec(glob)?.groups ?? {};
    if (host === undefined) {
      throw badArgument(
        `"url" contains ${JSON.stringify(glob.slice(0, 100))}: a stealth browser selects proxies by host. Use a host without a path, such as "*://*.example.com/*".`,
      );
    }
    const fixed =
      port === undefined ? defaultPorts[scheme?.toLowerCase() ?? ''] : port === '*' ? undefined : Number(port);
    return { host: host.toLowerCase().replace(/^\[|\]$/g, ''), port: fixed };
  });
}

const oneOf = (hosts: readonly Hosts[]) => (host: string, port: number) =>
  hosts.some((each) => matchesGlob(each.host, host.toLowerCase()) && (each.port === undefined || each.port === port));
