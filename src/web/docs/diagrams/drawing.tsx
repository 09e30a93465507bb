/** Draws the parts of diagrams: boxes, arrows and words, in the colors of the theme. */
import type { ReactNode } from 'react';

export interface BoxProps {
  x: number;
  y: number;
  width: number;
  height: number;
  title: string;
  /** Smaller, below the title. */
  note?: string;
  /** The part that the page is about. */
  on?: boolean;
}

/** Draws a box with centered text. */
export function Box({ x, y, width, height, title, note, on = false }: BoxProps): ReactNode {
  const [middle, center] = [x + width / 2, y + height / 2];
  return (
    <>
      <rect className={on ? 'box on' : 'box'} x={x} y={y} width={width} height={height} rx={8} />
      <text className={on ? 'on' : undefined} x={middle} y={center + (note === undefined ? 4.5 : -3)}>
        {title}
      </text>
      {note === undefined ? null : (
        <text className="small" x={middle} y={center + 15}>
          {note}
        </text>
      )}
    </>
  );
}

interface ArrowProps {
  /** Start point of a straight arrow. */
  from: readonly [number, number];
  to: readonly [number, number];
  /** Dashed: the path ends here. */
  ends?: boolean;
}

export function Arrow({ from: [x1, y1], to: [x2, y2], ends = false }: ArrowProps): ReactNode {
  const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const place = `translate(${x2} ${y2}) rotate(${Math.round(angle)})`;
  return (
    <>
      <path className={ends ? 'arrow ends' : 'arrow'} d={`M${x1} ${y1}L${x2} ${y2}`} />
      <path className="tip" d="M0 0-7-3.5v7z" transform={place} />
    </>
  );
}

interface WordsProps {
  x: number;
  y: number;
  children: string;
  kind?: 'small' | 'bad' | 'on';
  /** Whether the text starts at x; otherwise it is centered there. */
  start?: boolean;
}

export function Label({ x, y, children, kind, start = false }: WordsProps): ReactNode {
  return (
    <text className={[kind, start ? 'start' : undefined].filter(Boolean).join(' ') || undefined} x={x} y={y}>
      {children}
    </text>
  );
}

interface StatusProps {
  x: number;
  y: number;
  status: string;
  note: string;
  start?: boolean;
}

/** Draws the status that a request ends with, and the reason. */
export function StatusLabel({ x, y, status, note, start = false }: StatusProps): ReactNode {
  return (
    <>
      <Label x={x} y={y} kind="bad" start={start}>
        {status}
      </Label>
      <Label x={x} y={y + 16} kind="small" start={start}>
        {note}
      </Label>
    </>
  );
}
