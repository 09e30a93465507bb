/** Draws the parts of diagrams: boxes, arrows and words, in the colors of the theme. */
import type { ReactNode } from 'react';

interface BoxProps {
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

type Point = readonly [x: number, y: number];

/** Draws a straight arrow; `ends` makes it dashed, because the path ends at its tip. */
export function Arrow(props: { from: Point; to: Point; ends?: boolean }): ReactNode {
  const {
    from: [x1, y1],
    to: [x2, y2],
    ends = false,
  } = props;
  const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const place = `translate(${x2} ${y2}) rotate(${Math.round(angle)})`;
  return (
    <>
      <path className={ends ? 'arrow ends' : 'arrow'} d={`M${x1} ${y1}L${x2} ${y2}`} />
      <path className="tip" d="M0 0-7-3.5v7z" transform={place} />
    </>
  );
}

interface LabelProps {
  x: number;
  y: number;
  text: string;
  kind?: 'small' | 'bad' | 'on';
  /** Whether the text starts at x; otherwise it is centered there. */
  start?: boolean;
}

export function Label({ x, y, text, kind, start = false }: LabelProps): ReactNode {
  return (
    <text className={[kind, start ? 'start' : undefined].filter(Boolean).join(' ') || undefined} x={x} y={y}>
      {text}
    </text>
  );
}

/** Draws the status that a request ends with, and the reason. */
export function StatusLabel(props: Omit<LabelProps, 'text' | 'kind'> & { status: string; note: string }): ReactNode {
  const { status, note, y, ...rest } = props;
  return (
    <>
      <Label {...rest} y={y} kind="bad" text={status} />
      <Label {...rest} y={y + 16} kind="small" text={note} />
    </>
  );
}
