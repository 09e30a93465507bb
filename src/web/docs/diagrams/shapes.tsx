/** Draws the two Playwright protocols, the kinds of sessions, and servers behind a load balancer. */
import type { ReactNode } from 'react';
import { Arrow, Box, StatusLabel, Label } from './drawing.tsx';

export const protocolsWide: ReactNode = (
  <>
    <Box x={8} y={22} width={150} height={56} title="Your script" note="connectOverCDP" />
    <Arrow from={[158, 50]} to={[500, 50]} />
    <Label x={329} y={42} kind="small" text="each CDP command over the network" />
    <Box x={500} y={22} width={192} height={56} title="Chromium" note="and Chrome, Edge" on />
    <Box x={8} y={112} width={150} height={56} title="Your script" note="connect" />
    <Arrow from={[158, 140]} to={[300, 140]} />
    <Label x={229} y={132} kind="small" text="whole actions" />
    <Box x={300} y={112} width={150} height={56} title="Playwright server" note="next to the browser" />
    <Arrow from={[450, 140]} to={[500, 140]} />
    <Box x={500} y={112} width={192} height={56} title="Any browser" note="Chromium, Firefox, WebKit" on />
  </>
);

export const protocolsTall: ReactNode = (
  <>
    <Box x={50} y={4} width={220} height={48} title="Your script" note="connectOverCDP" />
    <Arrow from={[160, 52]} to={[160, 96]} />
    <Label x={170} y={78} kind="small" start text="each CDP command" />
    <Box x={50} y={96} width={220} height={48} title="Chromium" note="and Chrome, Edge" on />
    <Box x={50} y={184} width={220} height={48} title="Your script" note="connect" />
    <Arrow from={[160, 232]} to={[160, 276]} />
    <Label x={170} y={258} kind="small" start text="whole actions" />
    <Box x={50} y={276} width={220} height={48} title="Playwright server" note="next to the browser" />
    <Arrow from={[160, 324]} to={[160, 364]} />
    <Box x={50} y={364} width={220} height={48} title="Any browser" note="Chromium, Firefox, WebKit" on />
  </>
);

/** Start and end, as fractions of the total time. */
type Span = readonly [number, number];

interface SessionKind {
  title: string;
  note: string;
  /** When a browser is running. */
  browser: readonly Span[];
  /** When a client is connected. */
  connected: readonly Span[];
  /** How long cookies and storage are kept without a browser. */
  kept?: Span;
}

const kinds: readonly SessionKind[] = [
  { title: 'Default', note: 'closes with its connection', browser: [[0, 0.35]], connected: [[0.02, 0.33]] },
  {
    title: 'Browserless.reconnect',
    note: 'waits for you to reconnect',
    browser: [[0, 0.8]],
    connected: [
      [0.02, 0.3],
      [0.5, 0.78],
    ],
  },
  {
    title: 'POST /session',
    note: 'keeps cookies and storage',
    browser: [
      [0.06, 0.26],
      [0.38, 0.58],
      [0.7, 0.9],
    ],
    connected: [
      [0.08, 0.24],
      [0.4, 0.56],
      [0.72, 0.88],
    ],
    kept: [0, 1],
  },
];

interface LaneProps extends Omit<SessionKind, 'title' | 'note'> {
  x: number;
  y: number;
  /** Width of the total time. */
  width: number;
}

/** Draws nested bars for stored data, browsers and connections. */
function Lane({ x, y, width, browser, connected, kept }: LaneProps): ReactNode {
  const bars = [
    ...(kept === undefined ? [] : [{ name: 'box', span: kept, inset: 0 }]),
    ...browser.map((span) => ({ name: 'box on', span, inset: 4 })),
    ...connected.map((span) => ({ name: 'place taken', span, inset: 10 })),
  ];
  return bars.map(({ name, span: [from, to], inset }) => (
    <rect
      key={`${name}${from}`}
      className={name}
      x={x + width * from}
      y={y + inset}
      width={width * (to - from)}
      height={28 - 2 * inset}
      rx={4}
    />
  ));
}

/** Draws the legend of the bars. */
function Legend({ x, y }: { x: number; y: number }): ReactNode {
  return (
    <>
      <rect className="box on" x={x} y={y - 8} width={20} height={10} rx={3} />
      <Label x={x + 26} y={y + 1} kind="small" start text="browser" />
      <rect className="place taken" x={x + 90} y={y - 7} width={20} height={8} rx={4} />
      <Label x={x + 116} y={y + 1} kind="small" start text="connection" />
      <rect className="box" x={x + 196} y={y - 8} width={20} height={10} rx={3} />
      <Label x={x + 222} y={y + 1} kind="small" start text="stored data" />
    </>
  );
}

interface SessionsLayout {
  /** Position of the first title, and the distance to the next one. */
  x: number;
  y: number;
  step: number;
  lane: Pick<LaneProps, 'x' | 'y' | 'width'>;
  legendY: number;
}

const sessions = ({ x, y, step, lane, legendY }: SessionsLayout): ReactNode => (
  <>
    {kinds.map(({ title, note, ...spans }, index) => (
      <g key={title}>
        <Label x={x} y={y + index * step} text={title} start />
        <Label x={x} y={y + 17 + index * step} kind="small" text={note} start />
        <Lane {...lane} y={lane.y + index * step} {...spans} />
      </g>
    ))}
    <Legend x={lane.x} y={legendY} />
  </>
);

export const sessionsWide = sessions({ x: 8, y: 26, step: 60, lane: { x: 220, y: 16, width: 472 }, legendY: 206 });
export const sessionsTall = sessions({ x: 4, y: 20, step: 112, lane: { x: 4, y: 50, width: 312 }, legendY: 372 });

export const balanceWide: ReactNode = (
  <>
    <Box x={8} y={56} width={120} height={56} title="Clients" note="REST and sockets" />
    <Arrow from={[128, 84]} to={[220, 84]} />
    <Box x={220} y={56} width={140} height={56} title="Load balancer" note="checks /pressure" />
    <Arrow from={[360, 84]} to={[470, 36]} />
    <Arrow from={[360, 84]} to={[470, 108]} />
    <Arrow from={[360, 84]} to={[470, 180]} ends />
    <Box x={470} y={8} width={222} height={56} title="Server A" note="3 of 10 slots" on />
    <Box x={470} y={80} width={222} height={56} title="Server B" note="has session 17" on />
    <Box x={470} y={152} width={222} height={56} title="Server C" note="draining: finishes requests" />
    <StatusLabel x={404} y={176} status="503" note="not ready" />
    <Label x={240} y={222} kind="small" text="Return to session 17: directly to the address of server B" />
  </>
);

export const balanceTall: ReactNode = (
  <>
    <Box x={50} y={4} width={220} height={48} title="Clients" note="REST and sockets" />
    <Arrow from={[160, 52]} to={[160, 84]} />
    <Box x={50} y={84} width={220} height={48} title="Load balancer" note="checks /pressure" />
    <Arrow from={[90, 132]} to={[90, 172]} />
    <Arrow from={[160, 132]} to={[160, 244]} />
    <Arrow from={[256, 132]} to={[256, 316]} ends />
    <Box x={4} y={172} width={140} height={48} title="Server A" note="3 of 10 slots" on />
    <Box x={90} y={244} width={150} height={48} title="Server B" note="has session 17" on />
    <Box x={90} y={316} width={226} height={48} title="Server C" note="503: draining" />
    <Label x={160} y={382} kind="small" text="Return to session 17: directly to server B" />
  </>
);
