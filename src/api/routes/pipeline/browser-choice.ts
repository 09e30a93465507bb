/** Decides which browser a call gets, and refuses choices where there is none. */
import type { Config } from '../../../base/config/config.ts';
import { ServiceError } from '../../../base/errors.ts';
import { type CallKind, launchEffects } from '../../../base/schema/request/effects.ts';
import type { GivenLaunch, LaunchOptions } from '../../../base/schema/request/launch.ts';
import type { BrowserQuery } from '../../../base/schema/request/query.ts';
import type { Call } from './call.ts';

/**
 * @param whose whom the browser is for, at the beginning of a sentence
 * @throws ServiceError `invalid-query` for isolation=context
 */
export function requireProcess({ isolation }: BrowserQuery, whose: string): void {
  if (isolation !== 'context') return;
  throw new ServiceError(
    'invalid-query',
    `"isolation=context" is not possible here: ${whose} always gets a process. Leave it out.`,
    { issues: [{ path: 'isolation', message: 'must be "process" here, or left out' }] },
  );
}

interface StealthCall {
  call: Call;
  kind: CallKind;
  given: GivenLaunch;
  /** True on the routes of stealth. */
  always: boolean;
}

/**
 * The launch options with `stealth` as the call gets it, and without those that it makes meaningless, which the answer
 * names.
 * @throws ServiceError `invalid-launch` as `requireStealthAllowed`, or for a headless shell
 */
export function withStealth(launch: LaunchOptions, { call, kind, given, always }: StealthCall): LaunchOptions {
  const { stealth: asked, timezone, headless, ...others } = launch;
  const written = (name: string) => [...(given.get(name) ?? [])];
  const stealth = always || (asked === true && launchEffects.stealth.includes(kind));
  if (!stealth) {
    // Only a process of its own can have a time zone of its own.
    if (timezone !== undefined && launchEffects.timezone.includes(kind)) call.ignore(written('timezone'));
    return { ...others, ...(headless === undefined ? {} : { headless }) };
  }
  requireStealthAllowed(call.services.config);
  if (headless === 'shell') throw shellWithStealth();
  call.ignore([...(asked === false ? written('stealth') : []), ...written('headless')]);
  return { ...others, stealth, ...(timezone === undefined ? {} : { timezone }) };
}

/** @throws ServiceError `invalid-launch` when the operator has switched stealth off, or has requests signed */
export function requireStealthAllowed(config: Pick<Config, 'ALLOW_STEALTH' | 'WEB_BOT_AUTH_KEY'>): void {
  if (config.WEB_BOT_AUTH_KEY !== undefined) {
    throw stealthOff(
      "This server signs its requests as a bot's (WEB_BOT_AUTH_KEY): stealth is not offered, because the two contradict each other.",
    );
  }
  if (!config.ALLOW_STEALTH) throw stealthOff('Stealth is switched off on this server (ALLOW_STEALTH=false).');
}

function stealthOff(why: string): ServiceError {
  return new ServiceError('invalid-launch', `${why} Leave "stealth" out, or use the routes without it.`, {
    issues: [{ path: 'launch.stealth', message: 'is switched off on this server' }],
  });
}

function shellWithStealth(): ServiceError {
  return new ServiceError(
    'invalid-launch',
    'The launch options "stealth" and "headless": "shell" exclude each other: every detector knows the headless shell. Leave "headless" out.',
    { issues: [{ path: 'launch.headless', message: 'must not be "shell" with stealth' }] },
  );
}
