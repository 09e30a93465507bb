/** Holds the socket to the server, and opens it again with the same id when it was cut. */
import type { ServerMessage, ViewerMessage } from '../../../../../sessions/live/protocol/messages.ts';

const firstDelayMs = 300;
const longestDelayMs = 8_000;

export type Send = (message: ViewerMessage) => void;

interface Events {
  message(message: ServerMessage): void;
  picture(bytes: ArrayBuffer): void;
  /** @param delayMs until the next try */
  lost(delayMs: number): void;
  /** The server knows no such link any more. */
  gone(): void;
}

export interface Connection {
  send: Send;
  /** Whether something that was sent has not left yet. */
  isBehind(): boolean;
  /** Closes for good. */
  end(): void;
}

export function connect(path: string, events: Events): Connection {
  const address = new URL(path, location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  let socket: WebSocket | undefined;
  let tries = 0;
  let over = false;
  let timer = 0;

  const open = () => {
    clearTimeout(timer);
    const opened = new WebSocket(address);
    socket = opened;
    opened.binaryType = 'arraybuffer';
    opened.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') return events.picture(data);
      const message: ServerMessage = JSON.parse(data);
      // Not when the socket opens: a server may accept it and close it at once, over and over.
      if (message.t === 'hello') tries = 0;
      events.message(message);
    });
    opened.addEventListener('close', () => {
      socket = undefined;
      if (over) return;
      const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** tries++);
      timer = setTimeout(open, delayMs);
      events.lost(delayMs);
      // A script does not learn why a socket was refused, but the page has the same address and says it.
      if (tries > 1) void isGone().then((gone) => gone && !over && events.gone());
    });
  };

  const openNow = () => {
    if (!over && socket === undefined) open();
  };
  addEventListener('online', openNow);
  document.addEventListener('visibilitychange', () => document.hidden || openNow());
  open();

  return {
    send(message) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    isBehind: () => (socket?.bufferedAmount ?? 0) > 0,
    end() {
      over = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}

const isGone = (): Promise<boolean> =>
  fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => status === 404 || status === 410,
    () => false,
  );
