// Counters and histograms in the text form that Prometheus reads (exposition format 0.0.4).

export class Counter {
  readonly #values = new Map<string, number>();

  add(series: string, amount = 1): void {
    this.#values.set(series, (this.#values.get(series) ?? 0) + amount);
  }

  lines(name: string, help: string): string[] {
    return [
      ...header(name, 'counter', help),
      ...[...this.#values].map(([series, value]) => `${name}{${series}} ${value}`),
    ];
  }
}

export class Histogram {
  readonly #bounds: readonly number[];
  readonly #buckets: number[];
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#buckets = bounds.map(() => 0);
  }

  add(seconds: number): void {
    this.#sum += seconds;
    this.#count++;
    for (const [index, bound] of this.#bounds.entries()) {
      if (seconds <= bound) this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
    }
  }

  lines(name: string, series: string): string[] {
    const bucket = (le: number | string, value: number) =>
      `${name}_bucket{${series === '' ? '' : `${series},`}le="${le}"} ${value}`;
    const own = series === '' ? '' : `{${series}}`;
    return [
      ...this.#bounds.map((bound, index) => bucket(bound, this.#buckets[index] ?? 0)),
      bucket('+Inf', this.#count),
      `${name}_sum${own} ${this.#sum}`,
      `${name}_count${own} ${this.#count}`,
    ];
  }
}

/** Label pairs of a series, escaped. */
export function labels(values: Readonly<Record<string, string>>): string {
  const escape = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escape(value)}"`)
    .join(',');
}

export function header(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

/** A metric with one value and no labels. */
export function single(name: string, type: string, help: string, value: number): string[] {
  return [...header(name, type, help), `${name} ${value}`];
}
