// Reads samples from Prometheus text and from OpenTelemetry metrics, so that tests can compare them.
import type { ReceivedMetric } from '../clients/otlp-receiver.ts';

/** The samples of a Prometheus text by name and labels. */
export const samplesOf = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );

/** The same samples, converted from OpenTelemetry metrics. */
export function asSamples(metrics: Iterable<ReceivedMetric>): Map<string, number> {
  const samples = new Map<string, number>();
  const named = (name: string, labels: Record<string, unknown>) => {
    const text = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return text.length === 0 ? name : `${name}{${text.join(',')}}`;
  };
  for (const { name, points, histograms } of metrics) {
    for (const { attributes, value } of points) samples.set(named(name, attributes), value);
    for (const { attributes, bounds, counts, sum, count } of histograms) {
      let upTo = 0;
      for (const [index, bound] of [...bounds, '+Inf'].entries()) {
        upTo += counts[index] ?? 0;
        samples.set(named(`${name}_bucket`, { le: bound, ...attributes }), upTo);
      }
      samples.set(named(`${name}_sum`, attributes), sum);
      samples.set(named(`${name}_count`, attributes), count);
    }
  }
  return samples;
}
