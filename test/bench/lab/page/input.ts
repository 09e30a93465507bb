// Records what a click on the button and typing into the field look like, and reports once the whole text is there.
import type { InputReport } from './report.ts';

const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);

const intervals = (events: readonly Event[]) =>
  events.slice(1).map((event, index) => event.timeStamp - (events[index]?.timeStamp ?? 0));

/** How long each key was down; keys without a keyup are left out. */
function dwells(downs: readonly KeyboardEvent[], ups: readonly KeyboardEvent[]): number[] {
  return downs.flatMap((down) => {
    const up = ups.find(({ code, timeStamp }) => code === down.code && timeStamp >= down.timeStamp);
    return up === undefined ? [] : [up.timeStamp - down.timeStamp];
  });
}

const recordedTypes = ['pointermove', 'mousedown', 'mouseup', 'pointerdown', 'keydown', 'keyup', 'click'];

/** Starts recording; calls back once, when the field contains the text and its last key is up. */
export function recordInput(
  { button, field, text }: { button: HTMLElement; field: HTMLInputElement; text: string },
  done: (report: InputReport) => void,
): void {
  const events: Event[] = [];
  const of = <T extends Event>(type: string, kind: new (...args: never[]) => T): T[] =>
    events.filter((event): event is T => event instanceof kind && event.type === type);
  const coalesced: number[] = [];

  const summary = (): InputReport => {
    const box = button.getBoundingClientRect();
    const moves = of('pointermove', PointerEvent);
    const downs = of('keydown', KeyboardEvent);
    const [press] = of('pointerdown', PointerEvent);
    const [down] = of('mousedown', MouseEvent);
    const [up] = of('mouseup', MouseEvent);
    const [click] = of('click', MouseEvent);
    const offset = (at: number, start: number, length: number) => Math.abs(at - (start + length / 2));
    return {
      allTrusted: events.every(({ isTrusted }) => isTrusted),
      pressure: press?.pressure ?? 0,
      holdMs: Math.round((up?.timeStamp ?? 0) - (down?.timeStamp ?? 0)),
      deadCentre:
        click !== undefined &&
        offset(click.clientX, box.left, box.width) < 0.6 &&
        offset(click.clientY, box.top, box.height) < 0.6,
      moves: moves.length,
      meanMoveIntervalMs: mean(intervals(moves)),
      coalesced: Math.max(0, ...coalesced),
      meanDwellMs: mean(dwells(downs, of('keyup', KeyboardEvent))),
      meanKeyIntervalMs: mean(intervals(downs)),
      shift: downs.some(({ key }) => key === 'Shift'),
    };
  };

  for (const type of recordedTypes) {
    document.addEventListener(
      type,
      (event) => {
        events.push(event);
        // The coalesced events of a move can be read only while the event is handled.
        if (event instanceof PointerEvent && type === 'pointermove') coalesced.push(event.getCoalescedEvents().length);
      },
      { capture: true },
    );
  }
  const ended = () => {
    if (field.value !== text) return;
    field.removeEventListener('keyup', ended);
    done(summary());
  };
  field.addEventListener('keyup', ended);
}
