// Defines the jobs of both contenders, and how to check that both did the same work.

export const routes = ['content', 'pdf', 'screenshot', 'scrape'] as const;
export type Route = (typeof routes)[number];
export const pages = ['small', 'medium'] as const;
export type PageName = (typeof pages)[number];

/** Selectors of the `scrape` jobs, which both pages have. */
export const selectors = ['h1', 'p'] as const;

/** Jobs of one kind, `concurrency` of them at a time. */
export interface Series {
  route: Route;
  url: string;
  count: number;
  concurrency: number;
}

export interface Outcome {
  /** From the first start to the last end, in milliseconds. */
  elapsedMs: number;
  /** For each job, milliseconds from its start until its result. */
  answeredMs: number[];
  /** A summary of the last result, used to compare both contenders. */
  proof: string;
}

/** Runs a job `count` times, `concurrency` at a time. */
export async function runSeries(series: Series, job: () => Promise<Job>): Promise<Outcome> {
  const answeredMs: number[] = [];
  let left = series.count;
  let proof = '';
  const lane = async () => {
    while (left-- > 0) {
      const done = await job();
      answeredMs.push(done.answeredMs);
      proof = done.proof;
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: series.concurrency }, lane));
  return { elapsedMs: performance.now() - began, answeredMs, proof };
}

export interface Job {
  answeredMs: number;
  proof: string;
}

/** Summarizes a result: tags of a document, results of a scrape, size of an image. Throws for an empty result. */
export function proofOf(route: Route, bytes: Uint8Array): string {
  const text = (from: number, to: number) => new TextDecoder('latin1').decode(bytes.subarray(from, to));
  if (route === 'pdf') {
    if (text(0, 5) !== '%PDF-') throw new Error(`not a PDF: ${text(0, 200)}`);
    return 'pdf';
  }
  if (route === 'screenshot') {
    if (text(1, 4) !== 'PNG') throw new Error(`not a PNG: ${text(0, 200)}`);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    // The header chunk: width at byte 16, height at byte 20.
    return `${view.getUint32(16)}x${view.getUint32(20)}`;
  }
  const whole = text(0, bytes.length);
  const found = whole.match(route === 'content' ? /<(h1|h2|p|img)\b/g : /"width":/g)?.length ?? 0;
  if (found === 0) throw new Error(`nothing found by ${route}: ${whole.slice(0, 200)}`);
  return `${found} elements`;
}
