/** Keeps a page from opening WebSockets, which the Fetch domain does not see: by the page's own constructor. */

/**
 * Has refused addresses become one that no browser connects to, so that they fail like any other.
 * @param patterns expressions of refused addresses; null refuses all
 * @param key the property of WebSocket that, once read, ends the refusal; empty for none
 */
export function refuseWebSockets(patterns: readonly string[] | null, key: string): void {
  let on = true;
  const isRefused = (given: unknown): boolean => {
    let url = String(given);
    try {
      url = new URL(url, location.href).href.replace(/^http/, 'ws');
    } catch {
      // The constructor itself refuses what is no address.
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
