/** Draws the path of a request through the server. */
import type { ReactNode } from 'react';
import { Arrow, Box, StatusLabel, Label } from './drawing.tsx';

interface At {
  x: number;
  y: number;
}

/** Draws a queue with two occupied positions. */
function Places({ x, y }: At): ReactNode {
  return [0, 1, 2, 3, 4].map((place) => (
    <rect
      key={place}
      className={place < 2 ? 'place taken' : 'place'}
      x={x + place * 18}
      y={y}
      width={13}
      height={10}
      rx={2.5}
    />
  ));
}

/** Draws the browser with its slots. */
function WarmBrowser({ x, y, width, height }: At & { width: number; height: number }): ReactNode {
  const slot = (width - 56) / 3;
  const calls = [
    { title: 'First', note: '0.8 s' },
    { title: 'Second', note: '2.1 s' },
    { title: 'Yours', note: 'starts' },
  ];
  return (
    <>
      <rect className="box on" x={x} y={y} width={width} height={height} rx={10} />
      <Label x={x + 18} y={y + 25} kind="on" start text="Warm browser" />
      {calls.map(({ title, note }, index) => (
        <Box
          key={title}
          x={x + 18 + index * (slot + 10)}
          y={y + 40}
          width={slot}
          height={height - 58}
          title={title}
          note={note}
        />
      ))}
    </>
  );
}

export const callWide: ReactNode = (
  <>
    <Box x={8} y={62} width={108} height={56} title="Request" note="REST or socket" />
    <Arrow from={[116, 90]} to={[152, 90]} />
    <Box x={152} y={62} width={108} height={56} title="Check" note="token, fields" />
    <Arrow from={[260, 90]} to={[296, 90]} />
    <Box x={296} y={62} width={124} height={56} title="Queue" note=" " />
    <Places x={315} y={96} />
    <Arrow from={[420, 90]} to={[456, 90]} />
    <WarmBrowser x={456} y={12} width={236} height={152} />
    <Arrow from={[206, 118]} to={[206, 194]} ends />
    <StatusLabel x={206} y={214} status="401" note="wrong token" />
    <Arrow from={[358, 118]} to={[358, 194]} ends />
    <StatusLabel x={358} y={214} status="429" note="queue full" />
    <Arrow from={[574, 164]} to={[574, 194]} ends />
    <StatusLabel x={574} y={214} status="408" note="timed out" />
  </>
);

export const callTall: ReactNode = (
  <>
    <Box x={4} y={4} width={196} height={48} title="Request" note="REST or socket" />
    <Arrow from={[102, 52]} to={[102, 72]} />
    <Box x={4} y={72} width={196} height={48} title="Check" note="token, fields" />
    <Arrow from={[200, 96]} to={[238, 96]} ends />
    <StatusLabel x={246} y={94} status="401" note="wrong token" start />
    <Arrow from={[102, 120]} to={[102, 140]} />
    <Box x={4} y={140} width={196} height={56} title="Queue" note=" " />
    <Places x={59} y={174} />
    <Arrow from={[200, 168]} to={[238, 168]} ends />
    <StatusLabel x={246} y={166} status="429" note="queue full" start />
    <Arrow from={[102, 196]} to={[102, 216]} />
    <WarmBrowser x={4} y={216} width={196} height={152} />
    <Arrow from={[200, 292]} to={[238, 292]} ends />
    <StatusLabel x={246} y={290} status="408" note="timed out" start />
  </>
);
