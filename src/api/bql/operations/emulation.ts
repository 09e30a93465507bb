/** Implements viewport, userAgent, emulateMediaType, javaScriptEnabled and preferences. */
import { childTargetsOf } from '../../../browser/page/child-targets.ts';
import { type Maybe, operation } from '../run/operation.ts';
import { badArgument } from '../run/step-error.ts';

/** Chromium does not accept a larger viewport, and a larger scale has no benefit. */
const maxSide = 10_000;
const maxScale = 10;

interface ViewportArgs {
  width: number;
  height: number;
  deviceScaleFactor?: Maybe<number>;
  mobile?: Maybe<boolean>;
}

export const viewport = operation<ViewportArgs>({
  async run({ args, page, session }) {
    const { width, height } = args;
    const deviceScaleFactor = args.deviceScaleFactor ?? 1;
    const mobile = args.mobile ?? false;
    for (const [name, side] of Object.entries({ width, height })) {
      if (!(side >= 1 && side <= maxSide)) {
        throw badArgument(`"${name}" must be 1 to ${maxSide} CSS pixels, got ${side}.`);
      }
    }
    if (!(deviceScaleFactor > 0 && deviceScaleFactor <= maxScale)) {
      throw badArgument(
        `"deviceScaleFactor" must be greater than 0 and at most ${maxScale}, got ${deviceScaleFactor}.`,
      );
    }
    const size = { width: Math.round(width), height: Math.round(height) };
    const metrics = { ...size, deviceScaleFactor, mobile };
    await Promise.all([
      page.send('Emulation.setDeviceMetricsOverride', metrics),
      page.send('Emulation.setTouchEmulationEnabled', { enabled: mobile }),
    ]);
    page.viewport = metrics;
    session.environment.sized?.(page.target.targetId, metrics);
    return metrics;
  },
});

export const userAgent = operation<{ userAgent: string }>({
  async run({ args, page }) {
    if (args.userAgent.trim() === '' || /[\0\r\n]/.test(args.userAgent)) {
      throw badArgument('"userAgent" must be a single line of text.');
    }
    const command = { userAgent: args.userAgent };
    const { ready } = childTargetsOf(page).apply(({ session }) => [
      session.send('Emulation.setUserAgentOverride', command),
    ]);
    await Promise.all([page.until(ready), page.send('Emulation.setUserAgentOverride', command)]);
    return command;
  },
});

export const emulateMediaType = operation<{ type?: Maybe<'screen' | 'print'> }>({
  async run({ args, page }) {
    const media = args.type ?? '';
    await page.send('Emulation.setEmulatedMedia', { media });
    page.emulatedMedia = media;
    return { type: args.type ?? null };
  },
});

export const javaScriptEnabled = operation<{ enabled?: Maybe<boolean> }>({
  async run({ args, page }) {
    const { enabled } = args;
    if (typeof enabled === 'boolean') {
      const command = { value: !enabled };
      const { ready } = childTargetsOf(page).apply(({ session, type }) =>
        type === 'iframe' ? [session.send('Emulation.setScriptExecutionDisabled', command)] : [],
      );
      await Promise.all([page.until(ready), page.send('Emulation.setScriptExecutionDisabled', command)]);
      page.javaScriptEnabled = enabled;
    }
    return { enabled: page.javaScriptEnabled };
  },
});

export const preferences = operation<{ timeout?: Maybe<number> }>({
  // `timeout` is the value that the step sets.
  ownTimeout: true,
  run({ args, session }) {
    const timeout = args.timeout ?? 30_000;
    if (timeout < 0) throw badArgument(`"timeout" must be 0 (no limit) or greater, got ${timeout}.`);
    session.stepLimitMs = timeout;
    return Promise.resolve({ timeout });
  },
});
