/** Implements request, response, reject and setExtraHTTPHeaders. */
import type { CdpSession } from '../../../browser/cdp/connection.ts';
import { listLimits } from '../../../base/limits.ts';
import { refuseSocketsForNow } from '../../../browser/page/requests/intercept.ts';
import type { RecordedRequest } from '../../../browser/page/requests/network-log.ts';
import {
  compileMatch,
  compilePatternMatch,
  type PatternMatch,
  type RequestMatch,
} from '../../../browser/page/requests/request-match.ts';
import { childTargetsOf } from '../../../browser/page/child-targets.ts';
import { headerProblem, isIgnoredHeader, patternProblem } from '../../../base/schema/request/primitives.ts';
import { type Maybe, operation, type StepCall } from '../run/operation.ts';
import { toList } from '../run/records.ts';
import { badArgument } from '../run/step-error.ts';
import { maskedRequest } from '../run/mask.ts';
import { selects } from '../language/selection.ts';

export interface MatchArgs {
  method?: Maybe<Maybe<string>[]>;
  type?: Maybe<Maybe<string>[]>;
  url?: Maybe<Maybe<string>[]>;
  status?: Maybe<Maybe<number>[]>;
  operator?: Maybe<'and' | 'or'>;
}

/** Reads the matchers of a step. @throws StepError `BAD_ARGUMENT` for too many URLs */
export function toMatch(args: MatchArgs): RequestMatch {
  const match = {
    method: toList(args.method),
    type: toList(args.type),
    url: toList(args.url),
    status: toList(args.status),
    operator: args.operator ?? 'or',
  };
  limited('url', match.url);
  return match;
}

/** @throws StepError `BAD_ARGUMENT` for too many expressions or an invalid one */
function toPatterns(regex: MatchArgs['url']): string[] {
  const sources = limited('regex', toList(regex));
  for (const source of sources) {
    const problem = patternProblem(source);
    if (problem === undefined) continue;
    throw badArgument(
      `"regex" contains ${JSON.stringify(source.slice(0, 100))}, which is not a valid regular expression: ${problem}.`,
    );
  }
  return sources;
}

function limited(name: string, list: string[]): string[] {
  if (list.length <= listLimits.patterns) return list;
  throw badArgument(`"${name}" has ${list.length} entries; at most ${listLimits.patterns} are accepted.`);
}

const methods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

/** Converts a record to the value of a `request` field. */
export function toRequest({ url, method, type, headers }: RecordedRequest) {
  return { url, method: methods.has(method) ? method : null, type, headers };
}

/** Returns all records that match now. If none match, waits for the first one unless `wait` is false. */
async function matching(
  call: StepCall<MatchArgs & { wait?: Maybe<boolean> }>,
  complete: (record: RecordedRequest) => boolean,
): Promise<RecordedRequest[]> {
  const { args, step, tab } = call;
  const match = compileMatch(toMatch(args));
  const log = tab.log();
  const look = () => log.records.filter((record) => complete(record) && match.test(record));
  const now = look();
  if (now.length > 0 || args.wait === false) return now;
  const { method, type, url, status } = args;
  const wanted = JSON.stringify({ method, type, url, status });
  step.setTimeoutReason(
    'TIMEOUT',
    `nothing matched ${wanted}. Raise "timeout", loosen the match or set "wait" to false.`,
  );
  return step.untilOnPage(() => {
    const found = look();
    return Promise.resolve(found.length > 0 ? found : undefined);
  });
}

export const request = operation<MatchArgs & { wait?: Maybe<boolean> }>({
  run: async (call) => (await matching(call, () => true)).map(toRequest),
});

export const response = operation<MatchArgs & { wait?: Maybe<boolean> }>({
  async run(call) {
    const withBody = selects(call.info, 'body') || selects(call.info, 'bodyEncoding');
    const found = await matching(call, (record) => record.response?.done ?? false);
    return call.page.until(Promise.all(found.map((record) => toResponse(record, withBody))));
  },
});

/** Converts a record with its response to the value of a `response` field. */
export async function toResponse(record: RecordedRequest, withBody: boolean) {
  const body = withBody ? await record.response?.body : undefined;
  return {
    ...toRequest(record),
    status: record.response?.status ?? null,
    headers: record.response?.headers ?? [],
    body: body?.text ?? null,
    bodyEncoding: body?.encoding ?? null,
  };
}

export const reject = operation<MatchArgs & { regex?: MatchArgs['url']; enabled?: Maybe<boolean> }>({
  async run({ args, page, session, tab, patterns }) {
    const enabled = args.enabled ?? true;
    if (!enabled) {
      tab.rules.clearRefusals();
      return { enabled };
    }
    const match = toMatch(args);
    const regex = toPatterns(args.regex);
    const compiled = compilePatternMatch(match, regex, patterns);
    if (compiled.empty) {
      throw badArgument('"reject" needs something to match: "type", "url", "regex" or "method".');
    }
    const sockets = refusedSockets(page, match, regex);
    const seen: PatternMatch = {
      empty: compiled.empty,
      test: (each) => compiled.test(maskedRequest(each, session.secrets)),
    };
    const added = tab.rules.add({ action: 'refuse', match: seen, end: () => sockets?.free() });
    await page.until(Promise.all([added, sockets?.ready]));
    return { enabled };
  },
});

/** Refuses matching WebSockets in the page's WebSocket constructor, because the Fetch domain does not see them. */
function refusedSockets(page: StepCall<unknown>['page'], match: RequestMatch, regex: readonly string[]) {
  const { type = [], url = [], method = [], operator } = match;
  const patterns = [...regex, ...url.map((glob) => `^${glob.split('*').map(escaped).join('.*')}$`)];
  const kind = type.includes('websocket');
  const all = kind && (operator === 'or' || (patterns.length === 0 && method.length === 0));
  const some = patterns.length > 0 && (operator === 'or' || ((type.length === 0 || kind) && method.length === 0));
  if (!all && !some) return undefined;
  return refuseSocketsForNow(page, {
    rejectResourceTypes: all ? ['websocket'] : [],
    rejectRequestPattern: patterns,
    requestInterceptors: [],
    authenticate: undefined,
    url: undefined,
    allowsUrl: () => true,
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.+?()[\]{}|]/g, '\\$&');
}

export const setExtraHTTPHeaders = operation<{ headers?: Maybe<Maybe<{ name: string; value: string }>[]> }>({
  async run({ args, page, tab }) {
    const headers = toList(args.headers).filter(({ name }) => !isIgnoredHeader(name));
    for (const { name, value } of headers) {
      const problem = headerProblem(name, value);
      if (problem !== undefined) throw badArgument(`"headers" ${problem}.`);
    }
    page.networkNeeded = true;
    page.watchNetwork();
    tab.headers?.stop();
    const send = (session: CdpSession) => session.send('Network.setExtraHTTPHeaders', { headers: asRecord(headers) });
    const { ready, stop } = childTargetsOf(page).apply(({ session }) => [send(session)]);
    tab.headers = { stop };
    await page.until(Promise.all([ready, send(page.session)]));
    return { headers };
  },
});

/** Several headers of one name become one with all values (RFC 9110, section 5.3). */
function asRecord(headers: readonly { name: string; value: string }[]): Record<string, string> {
  const groups = Map.groupBy(headers, ({ name }) => name.toLowerCase());
  return Object.fromEntries(
    [...groups].map(([lower, all]) => [
      all[0]?.name ?? lower,
      all.map(({ value }) => value).join(lower === 'cookie' ? '; ' : ', '),
    ]),
  );
}
