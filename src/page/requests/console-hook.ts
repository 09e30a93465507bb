/**
 * What a page writes to its console, without Runtime.enable: the console's functions are wrapped in the page's own
 * world, and report through a binding that the page does not keep. Only while somebody listens.
 */
import type { CdpSession } from '../../cdp/connection.ts';
import { wrapConsole } from '../../injected/console.ts';
import { toExpression } from '../page-function.ts';
import type { Page } from '../page.ts';
import { childTargetsOf } from '../child-targets.ts';

export interface ConsoleMessage {
  type: string;
  text: string;
  /** Each as JSON text. */
  args: string[];
  location: { url: string; lineNumber: number; columnNumber: number };
  /** Epoch milliseconds. */
  timestamp: number;
}

/** Calls the listener for each message until the returned function is called. */
export async function watchConsole(page: Page, listener: (message: ConsoleMessage) => void): Promise<() => void> {
  const name = `b${crypto.randomUUID().replaceAll('-', '')}`;
  const source = toExpression(wrapConsole, [name]);
  const stops: (() => void)[] = [];
  const start = (session: CdpSession): Promise<unknown>[] => {
    // Without Runtime.enable a binding is only made in the documents that are there: it is made anew with each.
    const bind = () => {
      session.send('Runtime.removeBinding', { name }).catch(() => {});
      return session.send('Runtime.addBinding', { name });
    };
    stops.push(
      page.undo(
        session.on('Runtime.bindingCalled', ({ name: called, payload }) => {
          if (called === name) listener(parse(payload));
        }),
      ),
      page.undo(session.on('Page.frameNavigated', () => void bind().catch(() => {}))),
      () => void session.send('Runtime.removeBinding', { name }).catch(() => {}),
    );
    return [
      session.send('Page.enable'),
      session.send('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true }),
      bind(),
    ];
  };
  const frames = childTargetsOf(page).apply(({ session, type }) => (type === 'iframe' ? start(session) : []));
  stops.push(frames.stop);
  await page.until(Promise.all([frames.ready, ...start(page.session)]));
  return () => {
    for (const stop of stops) stop();
  };
}

function parse(payload: string): ConsoleMessage {
  // Only our own wrapper knows the binding's name.
  return JSON.parse(payload) as ConsoleMessage;
}
