/** Reads the events of a tab as they arrive. */
import { playerLimits } from '../../../../base/limits.ts';
import { isRecord, type RecordedEvent } from '../replay/messages.ts';

/** How reading ended: `broken` after unreadable lines or data, `cut` when there is more data than the player reads. */
export type Ending = 'whole' | 'broken' | 'cut' | 'none';

/** @returns undefined for a line that is not an event */
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

/** @param take called with the events in the order of the file, in batches as they arrive */
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
      // A document is one line that arrives in many chunks: join them only once.
      if (!text.includes('\n')) continue;
      takeLines(rest + parts.join(''), false);
      parts = [];
    }
    takeLines(rest + parts.join('') + decoder.decode(), true);
  } catch {
    // The events before the end of the data or the connection have been delivered.
    ending = 'broken';
  }
  return ending;
}
