/**
 * Prevents a page from opening WebSockets, which the Fetch domain does not see, by wrapping the WebSocket constructor.
 */

/**
 * Replaces a refused URL with one to which no browser connects, so that the socket fails as usual.
 * @param patterns regular expressions of refused URLs; null refuses all
 * @param key the property of WebSocket that lifts the refusal when read; empty for none
 */
export function refuseWebSockets(patterns: readonly string[] | null, key: string): void {
  let on = true;
  const isRefused = (given: unknown): boolean => {
    let url = String(given);
    try {
      url = new URL(url, location.href).href.replace(/^http/, 'ws');
    } catch {
      // The constructor itself refuses an invalid URL.
    }
    return on && (patterns === null || patterns.some((pattern) => new RegExp(pattern).test(url)));
  };
  const handler: ProxyHandler<typeof WebSocket> = {
    construct(target, [given, ...rest], self) {
      const socket: WebSocket = Reflect.construct(
        target,
        [isRefused(given) ? 'ws://0.0.0.0:1/' : given, ...rest],
        self,
      );
      return socket;
    },
  };
  if (key !== '') {
    handler.get = (target, name) => {
      if (name === key) on = false;
      return Reflect.get(target, name);
    };
  }
  globalThis.WebSocket = new Proxy(WebSocket, handler);
}
