/** Implements proxy: fetches matching requests through a proxy in place of the browser. */
import { compileMatch } from '../../page/requests/request-match.ts';
import { startDeadline } from '../../runtime/deadline.ts';
import { AnswerTooLarge, fetchThrough } from '../../runtime/fetch-through.ts';
import { type Maybe, operation } from '../run/operation.ts';
import { StepError } from '../run/step-error.ts';
import { type MatchArgs, toMatch } from './network.ts';
import { fromBase64, toBase64 } from '../../runtime/bytes.ts';

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
      throw new StepError('BAD_ARGUMENT', `"server" excludes "${chosen[0]}": name a proxy, or choose a place.`);
    }
    for (const [name, value] of Object.entries({ city, state })) {
      if (typeof value === 'string' && !/^[a-z0-9_-]+$/.test(value)) {
        throw new StepError('BAD_ARGUMENT', `"${name}" must be lower case without blanks, such as "new_york".`);
      }
    }
    const match = compileMatch(toMatch(args));
    const opened = await session.environment.openProxy({
      server: server ?? undefined,
      country: country ?? undefined,
      city: city ?? undefined,
      state: state ?? undefined,
      sticky: sticky ?? undefined,
    });
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
        using deadline = startDeadline(fetchLimitMs, () => new Error('the site behind the proxy did not answer'), [
          page.signal,
        ]);
        const { cookies } = await page.session.send('Network.getCookies', { urls: [url] });
        const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
        const sent = {
          url,
          method,
          headers: cookie === '' ? headers : { ...headers, Cookie: cookie },
          body: body === undefined ? undefined : fromBase64(body),
        };
        try {
          const answer = await through.fetch(sent, deadline.signal);
          const taken = () => answer[Symbol.dispose]();
          return { status: answer.status, headers: answer.headers, body: toBase64(answer.body), taken };
        } catch (error) {
          if (!(error instanceof AnswerTooLarge)) throw error;
          session.environment.log.warn('bql.proxy-answer-too-large', { url, reason: error.message });
          const contentType = { name: 'Content-Type', value: 'text/plain; charset=UTF-8' };
          return { status: 502, headers: [contentType], body: toBase64(new TextEncoder().encode(error.message)) };
        }
      },
    });
    return {};
  },
});
