/** Renders the diagrams of pages, each with a wide drawing, and a tall one for narrow windows. */
import { type ReactNode, useId } from 'react';
import { callTall, callWide } from './call.tsx';
import { balanceTall, balanceWide, protocolsTall, protocolsWide, sessionsTall, sessionsWide } from './shapes.tsx';

interface DiagramText {
  /** The full description, for readers who cannot see the diagram. */
  story: string;
  /** The main point. */
  caption: string;
  /** Drawings by the forms that the style sheet chooses from, each with its width and height. */
  drawings: Readonly<Record<'wide' | 'tall', { size: string; parts: ReactNode }>>;
}

const diagrams: Readonly<Record<string, DiagramText>> = {
  call: {
    story:
      'A request is checked, waits in the queue, takes a slot, runs in a fresh context of a warm browser and gets its response. Along the way, it can end with 401, 429 or 408.',
    caption: 'Every request takes the same path. Only a slot costs memory; a place in the queue does not.',
    drawings: { wide: { size: '700 240', parts: callWide }, tall: { size: '320 372', parts: callTall } },
  },
  protocols: {
    story:
      'With connectOverCDP your script sends each command over the network to Chromium. With connect your script talks to a Playwright server, which runs next to the browser and can drive Chromium, Firefox or WebKit.',
    caption: 'Use connectOverCDP for Chromium, and connect for Firefox, WebKit and fewer round trips.',
    drawings: { wide: { size: '700 190', parts: protocolsWide }, tall: { size: '320 420', parts: protocolsTall } },
  },
  sessions: {
    story:
      'By default, a browser closes when its connection does. After Browserless.reconnect, it stays open for a while, and a second connection can use it again. A session created with POST /session keeps cookies and storage until its ttl, and each connection gets a browser with them.',
    caption: 'What outlives the connection: nothing, the browser for a while, or cookies and storage until the ttl.',
    drawings: { wide: { size: '700 218', parts: sessionsWide }, tall: { size: '320 392', parts: sessionsTall } },
  },
  balance: {
    story:
      'A load balancer sends requests to several servers that do not share anything. A server that is draining answers its readiness probe with 503 and does not get new requests. A client that returns to a kept session connects to the URL of the server that has it.',
    caption: 'New requests go to any server; a client that returns to a session goes to the server that has it.',
    drawings: { wide: { size: '700 236', parts: balanceWide }, tall: { size: '320 388', parts: balanceTall } },
  },
};

export function Diagram({ of }: { of: string }): ReactNode {
  const id = useId();
  const diagram = diagrams[of];
  if (diagram === undefined) throw new Error(`Unknown diagram: ${of}`);
  const { story, caption, drawings } = diagram;
  return (
    <figure className="diagram">
      {Object.entries(drawings).map(([form, { size, parts }]) => (
        <svg key={form} className={form} viewBox={`0 0 ${size}`} role="img" aria-labelledby={id + form}>
          <title id={id + form}>{story}</title>
          {parts}
        </svg>
      ))}
      <figcaption>{caption}</figcaption>
    </figure>
  );
}
