/** Implements viewport, userAgent, emulateMediaType, javaScriptEnabled and preferences. */
import { parseValue } from '../../../base/schema/parse.ts';
import { viewport as viewportSchema } from '../../../base/schema/request/page-fields.ts';
import { childTargetsOf } from '../../../browser/page/child-targets.ts';
import { metricsOf } from '../../../browser/page/load/prepare.ts';
import { type Maybe, operation } from '../run/operation.ts';
import { withoutNulls } from '../run/records.ts';
import { badArgument } from '../run/step-error.ts';

interface ViewportArgs {
  width: number;
  height: number;
  deviceScaleFactor?: Maybe<number>;
  mobile?: Maybe<boolean>;
  isMobile?: Maybe<boolean>;
  hasTouch?: Maybe<boolean>;
  isLandscape?: Maybe<boolean>;
}

export const viewport = operation<ViewportArgs>({
  async run({ args, page, session }) {
    const [width, height] = [Math.round(args.width), Math.round(args.height)];
    const given = withoutNulls({ ...args, hasTouch: args.hasTouch ?? args.mobile, width, height });
    const checked = parseValue(viewportSchema, given, 'invalid-body', 'viewport');
    const metrics = metricsOf(checked);
    await Promise.all([
      page.send('Emulation.setDeviceMetricsOverride', metrics),
      page.send('Emulation.setTouchEmulationEnabled', { enabled: checked.hasTouch }),
    ]);
    page.viewport = metrics;
    session.environment.sized?.(page.target.targetId, metrics);
    return { ...checked, mobile: checked.isMobile };
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
