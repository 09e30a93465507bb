/** Sets the cookies of a request, and converts partition keys: clients write them in three forms. */
import { type CommandParams, type Commands, ProtocolError } from '../../cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { CookieParam } from '../../../base/schema/request/fields.ts';

/** The form of the protocol. */
type Partition = NonNullable<CommandParams<'Network.setCookie'>['partitionKey']>;
type Cookie = Commands['Network.getCookies']['returnType']['cookies'][number];
/** A cookie as clients read it: text for Playwright and Puppeteer, for frames of other sites an object for Puppeteer. */
export type ShownCookie = Omit<Cookie, 'partitionKey'> & {
  partitionKey?: string | { sourceOrigin: string; hasCrossSiteAncestor: true };
  _crHasCrossSiteAncestor?: false;
};

/**
 * Reads the text of Playwright, and the objects of Puppeteer and of the protocol.
 * @param crossed the flag beside the text
 */
function toPartition(key: NonNullable<CookieParam['partitionKey']>, crossed = false): Partition {
  if (typeof key === 'string') return { topLevelSite: key, hasCrossSiteAncestor: crossed };
  const topLevelSite = 'topLevelSite' in key ? key.topLevelSite : key.sourceOrigin;
  return { topLevelSite, hasCrossSiteAncestor: key.hasCrossSiteAncestor ?? false };
}

/** Returns a cookie with its partition key as the `cookies` of a request and client libraries accept it. */
export function toShownCookie({ partitionKey, ...cookie }: Cookie): ShownCookie {
  if (partitionKey === undefined) return cookie;
  const { topLevelSite, hasCrossSiteAncestor } = partitionKey;
  return hasCrossSiteAncestor
    ? { ...cookie, partitionKey: { sourceOrigin: topLevelSite, hasCrossSiteAncestor } }
    : // Without the flag, Playwright would set the cookie for frames only.
      { ...cookie, partitionKey: topLevelSite, _crHasCrossSiteAncestor: false };
}

/**
 * Sends one command for each cookie: when Chromium refuses a list, it does not say which cookie is wrong.
 * @throws ServiceError `invalid-body` that names the cookie
 */
export async function addCookie(
  session: Sender,
  cookie: CookieParam,
  field: string,
  pageUrl: string | undefined,
): Promise<void> {
  const { name, value, domain, path, secure, httpOnly, priority, sourceScheme, sourcePort } = cookie;
  const { sameSite, expires, partitionKey, partitionKeyOpaque } = cookie;
  const crossed = cookie.hasCrossSiteAncestor ?? cookie['_crHasCrossSiteAncestor'];
  if (partitionKeyOpaque === true && partitionKey === undefined) {
    throw refused(`${field}.partitionKeyOpaque`, 'cannot be true: no browser can restore a cookie of an opaque site');
  }
  // A cookie with neither url nor domain is meant for the page.
  const url =
    cookie.url ?? (domain === undefined && pageUrl !== undefined && /^https?:/.test(pageUrl) ? pageUrl : undefined);
  if (url === undefined && domain === undefined) {
    throw new ServiceError(
      'invalid-body',
      `"${field}" needs "url" or "domain": without a page "url" it belongs to no site.`,
      {
        issues: [{ path: `${field}.url`, message: 'is required when the request has html instead of a url' }],
      },
    );
  }
  const plain = { name, value, url, domain, path, secure, httpOnly, priority, sourceScheme, sourcePort };
  const accepted = await setCookie(session, {
    ...plain,
    sameSite: sameSite === 'Default' ? undefined : sameSite,
    expires: expires !== undefined && expires < 0 ? undefined : expires,
    partitionKey: partitionKey === undefined ? undefined : toPartition(partitionKey, crossed),
  });
  if (accepted) return;
  throw new ServiceError(
    'invalid-body',
    `"${field}" ("${name.slice(0, 50)}") was rejected by the browser: check its characters, that domain, sourceScheme and sourcePort match the url, and that a Secure, __Secure- or SameSite=None cookie has "secure": true and an https url.`,
    { issues: [{ path: field, message: 'was rejected by the browser' }] },
  );
}

function refused(path: string, message: string): ServiceError {
  return new ServiceError('invalid-body', `"${path}" ${message}.`, { issues: [{ path, message }] });
}

interface Sender {
  send(
    method: 'Network.setCookie',
    params: CommandParams<'Network.setCookie'>,
  ): Promise<Commands['Network.setCookie']['returnType']>;
}

/** Sets one cookie. Returns false when Chromium refuses it, by a protocol error or `success: false`, with no reason. */
async function setCookie(sender: Sender, cookie: CommandParams<'Network.setCookie'>): Promise<boolean> {
  try {
    return (await sender.send('Network.setCookie', cookie)).success;
  } catch (error) {
    if (error instanceof ProtocolError) return false;
    throw error;
  }
}
