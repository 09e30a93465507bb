/**
 * Wraps the console's methods, which keep working as before, and reports what a page writes and its uncaught errors.
 */

/**
 * Reports each message as JSON text; runs in the page's own world, before its scripts.
 * @param name the CDP binding that receives the reports; it is hidden from the page
 */
export function wrapConsole(name: string): void {
  // Chromium adds the binding a moment after the document starts; messages wait until then.
  const early: string[] = [];
  let report = (message: string): void => void early.push(message);
  Object.defineProperty(globalThis, name, {
    configurable: true,
    set(binding: (message: string) => void) {
      Reflect.deleteProperty(globalThis, name);
      report = binding;
      for (const message of early.splice(0)) report(message);
    },
  });
  const json = (value: unknown): string => {
    try {
      return JSON.stringify(value) ?? String(value);
    } catch {
      return JSON.stringify(String(value));
    }
  };
  const shown = (value: unknown): string =>
    typeof value === 'string'
      ? value
      : value instanceof Error
        ? (value.stack ?? String(value))
        : typeof value === 'object'
          ? json(value)
          : String(value);
  // The first stack frame with a URL: this script has none.
  const place = (stack: string | undefined) => {
    for (const line of (stack ?? '').split('\n').slice(1)) {
      const [, url = '', row = '1', column = '1'] =
        /\(?((?:https?|file|blob|data|about):[^)]*?):(\d+):(\d+)\)?$/.exec(line) ?? [];
      if (url !== '') return { url, lineNumber: Number(row) - 1, columnNumber: Number(column) - 1 };
    }
    return { url: location.href, lineNumber: 0, columnNumber: 0 };
  };
  const tell = (type: string, text: string, args: unknown[], stack: string | undefined): void => {
    report(JSON.stringify({ type, text, args: args.map(json), location: place(stack), timestamp: Date.now() }));
  };
  const counts: Record<string, number> = {};
  const timers: Record<string, number> = {};
  const kinds: Record<string, string> = {
    log: 'log',
    debug: 'debug',
    info: 'info',
    error: 'error',
    warn: 'warning',
    dir: 'dir',
    dirxml: 'dirxml',
    table: 'table',
    trace: 'trace',
    clear: 'clear',
    group: 'startGroup',
    groupCollapsed: 'startGroupCollapsed',
    groupEnd: 'endGroup',
    assert: 'assert',
    profile: 'profile',
    profileEnd: 'profileEnd',
    count: 'count',
    time: '',
    timeEnd: 'timeEnd',
    timeLog: 'timeEnd',
    timeStamp: 'verbose',
  };
  for (const [method, type] of Object.entries(kinds)) {
    const original: unknown = Reflect.get(console, method);
    if (typeof original !== 'function') continue;
    const wrapped = new Proxy(original, {
      apply(target, self, args: unknown[]) {
        try {
          const label = args[0] === undefined ? 'default' : String(args[0]);
          if (method === 'time') timers[label] ??= performance.now();
          else if (method === 'count')
            tell(type, `${label}: ${(counts[label] = (counts[label] ?? 0) + 1)}`, args, new Error().stack);
          else if (type === 'timeEnd')
            tell(
              type,
              `${label}: ${performance.now() - (timers[label] ?? performance.now())} ms`,
              args,
              new Error().stack,
            );
          else if (method !== 'assert') tell(type, args.map(shown).join(' '), args, new Error().stack);
          else if (!args[0]) tell(type, args.slice(1).map(shown).join(' '), args.slice(1), new Error().stack);
        } catch {
          // A failure of the wrapper must not make the page's call fail.
        }
        return Reflect.apply(target, self, args);
      },
    });
    Reflect.set(console, method, wrapped);
  }
  const caught = (error: unknown, message: string): void =>
    tell('error', message, [message], error instanceof Error ? error.stack : undefined);
  // A page may dispatch an error event without a message.
  addEventListener('error', ({ error, message }) => caught(error, message ?? 'error'));
  addEventListener('unhandledrejection', ({ reason }) =>
    caught(reason, `Uncaught (in promise) ${reason instanceof Error ? reason.message : String(reason)}`),
  );
}
