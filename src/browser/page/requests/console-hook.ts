/**
 * Reports what a page writes to its console, without Runtime.enable: wraps the console's methods in the page's own
 * world and reports through a binding that the wrapper hides from the page. Wraps nothing until a caller listens.
 */
import type { CdpSession } from '../../cdp/connection.ts';
import { wrapConsole } from '../../injected/console.ts';
import { tryParseJson } from '../../../base/schema/json-text.ts';
import { isPlainObject } from '../../../base/schema/record.ts';
import { toExpression } from '../page-function.ts';
import type { Page } from '../page.ts';
import { childTargetsOf } from '../child-targets.ts';

export interface ConsoleMessage {
  type: string;
  text: string;
  /** Each argument as JSON text. */
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
    // Without Runtime.enable, Runtime.addBinding reaches existing documents only: repeat it for each new document.
    const bind = () => {
      session.send('Runtime.removeBinding', { name }).catch(() => {});
      return session.send('Runtime.addBinding', { name });
    };
    stops.push(
      page.undo(
        session.on('Runtime.bindingCalled', ({ name: called, payload }) => {
          const message = called === name ? parse(payload) : undefined;
          if (message) listener(message);
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

function parse(payload: string): ConsoleMessage | undefined {
  // Only our wrapper knows the binding's name, but a page can replace JSON.stringify, which the wrapper uses.
  const message = tryParseJson(payload);
  if (!isPlainObject(message) || !isPlainObject(message['location'])) return undefined;
  const { type, text, args } = message;
  const isWhole = typeof type === 'string' && typeof text === 'string' && Array.isArray(args);
  return isWhole ? (message as unknown as ConsoleMessage) : undefined; // It has the properties that listeners read.
}
