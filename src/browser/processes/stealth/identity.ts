/**
 * Reads what a browser reports about itself: its user agent and its client hints. A browser without a window calls
 * itself HeadlessChrome in its user agent; a stealth browser reports what the same browser reports with a window.
 */
import type { BrowserConnection, CommandParams } from '../../cdp/connection.ts';

type Override = CommandParams<'Emulation.setUserAgentOverride'>;

/** The parameters of Emulation.setUserAgentOverride. */
export type Identity = Override & { userAgentMetadata: NonNullable<Override['userAgentMetadata']> };

/** A URL that exists on no server: this module supplies its document. */
const address = 'https://identity.invalid/';

/** Runs in a page; client hints are only available to pages of secure origins (User-Agent Client Hints, 4.1). */
const readHints = `navigator.userAgentData.getHighEntropyValues(${JSON.stringify([
  'architecture',
  'bitness',
  'formFactors',
  'fullVersionList',
  'model',
  'platformVersion',
  'wow64',
])}).then(JSON.stringify)`;

interface Hints extends Pick<
  Identity['userAgentMetadata'],
  'brands' | 'mobile' | 'platform' | 'architecture' | 'bitness' | 'formFactors' | 'fullVersionList' | 'model' | 'wow64'
> {
  platformVersion: string;
}

/** @param connection a connection to a browser that was started without a custom user agent */
export async function readIdentity(connection: BrowserConnection): Promise<Identity> {
  const { root } = connection;
  const { userAgent } = await root.send('Browser.getVersion');
  const { targetId } = await root.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
  const session = connection.session(sessionId);
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, body: '' }).catch(() => {});
  });
  await session.send('Page.enable');
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `${address}*` }] });
  const committed = session.once('Page.frameNavigated', ({ frame }) => frame.url === address, session.closed);
  await Promise.all([committed, session.send('Page.navigate', { url: address })]);
  const { result } = await session.send('Runtime.evaluate', {
    expression: readHints,
    awaitPromise: true,
    returnByValue: true,
  });
  const hints = JSON.parse(String(result.value)) as Hints; // The browser wrote it.
  await root.send('Target.closeTarget', { targetId });
  return { userAgent: userAgent.replace('HeadlessChrome/', 'Chrome/'), userAgentMetadata: hints };
}
