/** Decides which browser a request gets, and rejects options that the browser does not support. */
import type { Config } from '../../../base/config/config.ts';
import { ServiceError } from '../../../base/errors.ts';
import { type CallKind, launchEffects } from '../../../base/schema/request/effects.ts';
import type { GivenLaunch, LaunchOptions } from '../../../base/schema/request/launch.ts';
import type { BrowserQuery } from '../../../base/schema/request/query.ts';
import type { Call } from './call.ts';

/**
 * @param subject grammatical subject of the error message, such as "a stealth browser"
 * @throws ServiceError `invalid-query` for isolation=context
 */
export function requireProcess({ isolation }: BrowserQuery, subject: string): void {
  if (isolation !== 'context') return;
  throw new ServiceError(
    'invalid-query',
    `"isolation=context" is not supported here: ${subject} always gets its own process. Leave it out.`,
    { issues: [{ path: 'isolation', message: 'must be "process" here, or left out' }] },
  );
}

interface StealthCall {
  call: Call;
  kind: CallKind;
  given: GivenLaunch;
  /** True on the stealth routes. */
  always: boolean;
}

/**
 * Returns the launch options with the `stealth` that takes effect, and without options that it makes meaningless, which
 * the response lists as ignored.
 * @throws ServiceError `invalid-launch` if stealth is not allowed (see `requireStealthAllowed`) or the headless shell
 *   is requested
 */
export function withStealth(launch: LaunchOptions, { call, kind, given, always }: StealthCall): LaunchOptions {
  const { stealth: requested, timezone, headless, ...others } = launch;
  const givenNames = (name: string) => [...(given.get(name) ?? [])];
  const stealth = always || (requested === true && launchEffects.stealth.includes(kind));
  if (!stealth) {
    // Only a separate process can have its own time zone.
    if (timezone !== undefined && launchEffects.timezone.includes(kind)) call.ignore(givenNames('timezone'));
    return { ...others, ...(headless === undefined ? {} : { headless }) };
  }
  requireStealthAllowed(call.services.config);
  if (headless === 'shell') throw shellWithStealth();
  call.ignore([...(requested === false ? givenNames('stealth') : []), ...givenNames('headless')]);
  return { ...others, stealth, ...(timezone === undefined ? {} : { timezone }) };
}

/** @throws ServiceError `invalid-launch` if the operator has switched stealth off, or the server signs its requests */
export function requireStealthAllowed(config: Pick<Config, 'ALLOW_STEALTH' | 'WEB_BOT_AUTH_KEY'>): void {
  if (config.WEB_BOT_AUTH_KEY !== undefined) {
    throw stealthOff('Stealth is not available: this server identifies itself as a bot (WEB_BOT_AUTH_KEY).');
  }
  if (!config.ALLOW_STEALTH) throw stealthOff('Stealth is disabled on this server (ALLOW_STEALTH=false).');
}

function stealthOff(why: string): ServiceError {
  return new ServiceError('invalid-launch', `${why} Leave "stealth" out, or use the routes without it.`, {
    issues: [{ path: 'launch.stealth', message: 'is disabled on this server' }],
  });
}

function shellWithStealth(): ServiceError {
  return new ServiceError(
    'invalid-launch',
    'The launch options "stealth" and "headless": "shell" cannot be combined: bot detectors recognize the headless shell. Leave "headless" out.',
    { issues: [{ path: 'launch.headless', message: 'must not be "shell" with stealth' }] },
  );
}
