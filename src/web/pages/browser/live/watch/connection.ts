/** Holds the socket to the server, and reopens it with the same id after a lost connection. */
import type { ServerMessage, ViewerMessage } from '../../../../../sessions/live/protocol/messages.ts';

const firstDelayMs = 300;
const maxDelayMs = 8_000;

export type Send = (message: ViewerMessage) => void;

interface Events {
  onMessage(onMessage: ServerMessage): void;
  onFrame(bytes: ArrayBuffer): void;
  /** @param delayMs time until the next attempt, in milliseconds */
  onLost(delayMs: number): void;
  /** The server no longer knows this link. */
  onGone(): void;
}

export function connect(path: string, events: Events) {
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
      if (typeof data !== 'string') return events.onFrame(data);
      const message: ServerMessage = JSON.parse(data);
      // Do not reset when the socket opens: a server may accept it and close it immediately, repeatedly.
      if (message.t === 'hello') tries = 0;
      events.onMessage(message);
    });
    opened.addEventListener('close', () => {
      socket = undefined;
      if (over) return;
      const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** tries++);
      timer = setTimeout(open, delayMs);
      events.onLost(delayMs);
      // Scripts cannot see why a socket was refused, but a request for the page, which has the same URL, shows it.
      if (tries > 1) void isGone().then((gone) => gone && !over && events.onGone());
    });
  };

  const openNow = () => {
    if (!over && socket === undefined) open();
  };
  addEventListener('online', openNow);
  document.addEventListener('visibilitychange', () => document.hidden || openNow());
  open();

  return {
    send: ((message) => {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    }) satisfies Send,
    /** Whether some sent data has not left yet. */
    isBehind: () => (socket?.bufferedAmount ?? 0) > 0,
    /** Closes permanently. */
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
