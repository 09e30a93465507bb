/** Reads the events of a tab while they come. */
import { playerLimits } from '../../../../base/limits.ts';
import type { RecordedEvent } from '../replay/messages.ts';

/** How the reading ended: `broken` after lines or data that cannot be read, `cut` after more than is shown. */
export type Ending = 'whole' | 'broken' | 'cut' | 'none';

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns undefined for a line that is no event */
function eventOf(line: string): RecordedEvent | undefined {
  if (line.length > playerLimits.eventCharacters) return undefined;
  try {
    const event: unknown = JSON.parse(line);
    if (!isRecord(event)) return undefined;
    const { type, timestamp, data } = event;
    if (typeof type !== 'number' || typeof timestamp !== 'number' || !Number.isFinite(timestamp)) return undefined;
    return { type, timestamp, data: isRecord(data) ? data : {} };
  } catch {
    return undefined;
  }
}

/** @param take gets the events in the order of the file, as many as came at once */
export async function readEvents(
  address: string,
  signal: AbortSignal,
  take: (events: RecordedEvent[]) => void,
): Promise<Ending> {
  let ending: Ending = 'whole';
  let rest = '';
  let characters = 0;
  const takeLines = (text: string, isEnd: boolean) => {
    const lines = text.split('\n');
    rest = isEnd ? '' : (lines.pop() ?? '');
    const events: RecordedEvent[] = [];
    for (const line of lines) {
      if (line.trim() === '') continue;
      const event = eventOf(line);
      if (event) events.push(event);
      else ending = 'broken';
    }
    if (events.length > 0) take(events);
  };
  try {
    const answer = await fetch(address, { signal });
    if (answer.status === 404) return 'none';
    if (!answer.ok || !answer.body) return 'broken';
    const decoder = new TextDecoder();
    let parts: string[] = [];
    const reader = answer.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const text = decoder.decode(value, { stream: true });
      characters += text.length;
      if (characters > playerLimits.characters) {
        void reader.cancel();
        return 'cut';
      }
      parts.push(text);
      // A document is one line of many pieces: they are joined once.
      if (!text.includes('\n')) continue;
      takeLines(rest + parts.join(''), false);
      parts = [];
    }
    takeLines(rest + parts.join('') + decoder.decode(), true);
  } catch {
    // What came before the end of the data, or of the connection, is there.
    ending = 'broken';
  }
  return ending;
}
