/**
 * Applies the settings of a request before its page loads, in the order of compatibility.mdx#order-of-a-page-request.
 * Sends all commands in one batch; a plain request needs none.
 */
import { type CdpSession, type CommandParams, ProtocolError } from '../../cdp/connection.ts';
import { defaultWindow } from '../../processes/page-target.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { CommonFields, UserAgent, Viewport } from '../../../base/schema/request/fields.ts';
import { addCookie } from './cookies.ts';
import { hasRules, intercept, type InterceptRules, needsInterception, refuseSockets } from '../requests/intercept.ts';
import type { Page } from '../page.ts';
import { requestPatterns } from '../requests/request-patterns.ts';
import { childTargetsOf } from '../child-targets.ts';

export interface PrepareOptions
  extends
    InterceptRules,
    Pick<CommonFields, 'cookies' | 'emulateMediaType' | 'setExtraHTTPHeaders' | 'setJavaScriptEnabled' | 'userAgent'> {
  viewport: Viewport | undefined;
  /** Accept untrusted TLS certificates. */
  acceptInsecureCerts: boolean;
  /** More commands for the page and each out-of-process iframe, sent before their scripts run. */
  everyFrame?: readonly ((session: CdpSession, frameId: string) => Promise<unknown>[])[];
}

/** Options that leave all settings of a page unchanged. */
export const unchanged = {
  url: undefined,
  authenticate: undefined,
  cookies: [],
  emulateMediaType: undefined,
  rejectRequestPattern: [],
  rejectResourceTypes: [],
  requestInterceptors: [],
  setExtraHTTPHeaders: undefined,
  setJavaScriptEnabled: true,
  userAgent: undefined,
  viewport: undefined,
  acceptInsecureCerts: false,
} satisfies Partial<PrepareOptions>;

/** @throws ServiceError `invalid-body` that names the field that the browser refuses */
export async function preparePage(page: Page, options: PrepareOptions): Promise<void> {
  const { session } = page;
  const { emulateMediaType, viewport, setJavaScriptEnabled, acceptInsecureCerts } = options;
  const steps: Promise<unknown>[] = [];
  const push = (field: string, ...commands: Promise<unknown>[]) =>
    steps.push(...commands.map((command) => page.until(named(field, command))));

  if (emulateMediaType) {
    page.emulatedMedia = emulateMediaType;
    push('emulateMediaType', session.send('Emulation.setEmulatedMedia', { media: emulateMediaType }));
  }
  for (const [index, cookie] of options.cookies.entries()) {
    steps.push(page.until(addCookie(session, cookie, `cookies[${index}]`, options.url)));
  }
  if (viewport && !(page.target.sized && isDefaultWindow(viewport))) {
    page.viewport = metricsOf(viewport);
    push('viewport', ...emulateViewport(session, viewport));
  }
  if (acceptInsecureCerts) push('launch', session.send('Security.setIgnoreCertificateErrors', { ignore: true }));
  const everywhere = forEveryTarget(options);
  // Chromium adds extra headers only while the Network domain is on.
  if (options.setExtraHTTPHeaders) page.networkNeeded = true;
  push('userAgent or setExtraHTTPHeaders', ...everywhere.map((send) => send(session)));
  if (!setJavaScriptEnabled) {
    page.javaScriptEnabled = false;
    push('setJavaScriptEnabled', session.send('Emulation.setScriptExecutionDisabled', { value: true }));
  }
  const intercepted = needsInterception(options);
  // Only the Network domain distinguishes fetch() from XMLHttpRequest.
  if (hasRules(options)) page.networkNeeded = true;
  const patterns = requestPatterns(page, options);
  if (intercepted)
    push('requestInterceptors', ...intercept(page, session, options, patterns), ...refuseSockets(session, options));
  // takeAnswer looks only at the main document's response, so it does not need interception in child frames.
  const interceptedEverywhere = options.isAd !== undefined || hasRules(options);
  const { everyFrame = [] } = options;
  for (const commands of everyFrame) push('launch', ...commands(session, page.mainFrameId));
  if (everywhere.length > 0 || everyFrame.length > 0 || interceptedEverywhere || !setJavaScriptEnabled) {
    push(
      'requestInterceptors',
      childTargetsOf(page).apply(({ session: child, type, targetId }) => [
        ...everywhere.map((send) => send(child)),
        ...(type !== 'iframe' || setJavaScriptEnabled
          ? []
          : [child.send('Emulation.setScriptExecutionDisabled', { value: true })]),
        ...(type === 'iframe' ? everyFrame.flatMap((commands) => commands(child, targetId)) : []),
        ...(interceptedEverywhere && type === 'iframe' ? intercept(page, child, options, patterns) : []),
        ...(interceptedEverywhere && type === 'iframe' ? refuseSockets(child, options) : []),
      ]).ready,
    );
  }
  if (steps.length > 0) await Promise.all(steps);
}

/** Commands that every frame and worker of the page needs as well. */
function forEveryTarget(options: PrepareOptions): ((session: CdpSession) => Promise<unknown>)[] {
  const { userAgent, setExtraHTTPHeaders } = options;
  const commands: ((session: CdpSession) => Promise<unknown>)[] = [];
  const override = userAgent === undefined ? undefined : toUserAgentOverride(userAgent);
  if (override) commands.push((session) => session.send('Emulation.setUserAgentOverride', override));
  if (setExtraHTTPHeaders && Object.keys(setExtraHTTPHeaders).length > 0) {
    commands.push((session) => session.send('Network.setExtraHTTPHeaders', { headers: setExtraHTTPHeaders }));
  }
  return commands;
}

function toUserAgentOverride(given: UserAgent): CommandParams<'Emulation.setUserAgentOverride'> | undefined {
  const { userAgent, platform, userAgentMetadata } = given;
  if (userAgent === undefined && platform === undefined && userAgentMetadata === undefined) return undefined;
  return {
    // An empty string keeps the browser's own user agent.
    userAgent: userAgent ?? '',
    platform,
    userAgentMetadata,
  };
}

/** Whether a new page has this viewport already. */
function isDefaultWindow({ width, height, deviceScaleFactor, isMobile, isLandscape, hasTouch }: Viewport): boolean {
  const plain = deviceScaleFactor === 1 && !isMobile && !isLandscape && !hasTouch;
  return plain && width === defaultWindow.width && height === defaultWindow.height;
}

/** Sets the viewport of a page until the session ends or another one is set. */
export function emulateViewport(session: CdpSession, viewport: Viewport): Promise<unknown>[] {
  const metrics = session.send('Emulation.setDeviceMetricsOverride', metricsOf(viewport));
  const touch = { enabled: true };
  return viewport.hasTouch ? [metrics, session.send('Emulation.setTouchEmulationEnabled', touch)] : [metrics];
}

/** Converts a viewport to the parameters of the protocol command. */
export function metricsOf(viewport: Viewport): CommandParams<'Emulation.setDeviceMetricsOverride'> {
  const { width, height, deviceScaleFactor, isMobile, isLandscape } = viewport;
  return {
    width,
    height,
    deviceScaleFactor,
    mobile: isMobile,
    screenOrientation: isLandscape ? { angle: 90, type: 'landscapePrimary' } : { angle: 0, type: 'portraitPrimary' },
  };
}

/** Reports a command that the browser refuses as an invalid value of this field. */
async function named(field: string, command: Promise<unknown>): Promise<void> {
  try {
    await command;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw new ServiceError('invalid-body', `"${field}" was rejected by the browser: ${error.message}.`, {
      cause: error,
      issues: [{ path: field, message: error.message }],
    });
  }
}
