/**
 * Turns the metrics of Prometheus into those of OpenTelemetry, under the same names: one table for both. The SDK takes
 * them as they are from a MetricProducer; its own instruments would count everything a second time, and it has no
 * histogram that can be observed.
 */
import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime, millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type HistogramMetricData,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { serviceVersion } from '../../version.ts';
import type { MetricReading } from '../prometheus.ts';

/** Of a histogram there is a value for each upper bound (label `le`); names of two more end with `_sum` and `_count`. */
type Value = MetricReading['values'][number] & { metricName?: string };

/** @param resource is not used by the SDK, which has its own */
export function metricProducer(read: () => Promise<readonly MetricReading[]>, resource: Resource): MetricProducer {
  const startTime = millisToHrTime(Date.now());
  return {
    async collect() {
      const metrics = (await read()).flatMap((reading) => toMetricData(reading, startTime, hrTime()));
      return {
        resourceMetrics: {
          resource,
          scopeMetrics: [{ scope: { name: 'browserd', version: serviceVersion }, metrics }],
        },
        errors: [],
      };
    },
  };
}

/** Nothing for a metric without values. */
function toMetricData(reading: MetricReading, startTime: HrTime, endTime: HrTime): MetricData[] {
  const { name, help: description, values } = reading;
  // prom-client writes words; its types declare an enumeration of numbers.
  const type = String(reading.type);
  if (values.length === 0) return [];
  const descriptor = { name, description, unit: unitOf(name), valueType: ValueType.DOUBLE };
  const shared = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram') {
    const dataPoints = histograms(reading).map((point) => ({ ...point, startTime, endTime }));
    return [{ ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
  }
  const dataPoints = values.map(({ value, labels }) => ({
    startTime,
    endTime,
    attributes: attributesOf(labels),
    value,
  }));
  return type === 'counter'
    ? [{ ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }]
    : [{ ...shared, dataPointType: DataPointType.GAUGE, dataPoints }];
}

/** The unit, which names of Prometheus hold (UCUM, as OpenTelemetry writes units). */
function unitOf(name: string): string {
  if (name.endsWith('_seconds')) return 's';
  if (name.endsWith('_bytes_total')) return 'By';
  return name.endsWith('_ratio') ? '1' : '';
}

type HistogramPoint = Omit<HistogramMetricData['dataPoints'][number], 'startTime' | 'endTime'>;

/** One histogram for each set of labels: Prometheus counts all values up to a bound, OpenTelemetry those between two. */
function histograms({ name, ...reading }: MetricReading): HistogramPoint[] {
  const values: readonly Value[] = reading.values;
  const sets = Map.groupBy(values, ({ labels: { le: _bound, ...labels } }) => JSON.stringify(labels));
  return [...sets.values()].map((ofSet) => {
    const { le: _bound, ...labels } = ofSet[0]?.labels ?? {};
    const valueOf = (ending: string) => ofSet.find(({ metricName }) => metricName === name + ending)?.value ?? 0;
    const count = valueOf('_count');
    const bounds = ofSet.filter(({ labels: { le } }) => typeof le === 'number');
    const upTo = [...bounds.map(({ value }) => value), count];
    const counts = upTo.map((value, index) => value - (upTo[index - 1] ?? 0));
    const boundaries = bounds.map(({ labels: { le } }) => Number(le));
    return {
      attributes: attributesOf(labels),
      value: { buckets: { boundaries, counts }, sum: valueOf('_sum'), count },
    };
  });
}

function attributesOf(labels: Value['labels']): DataPoint<number>['attributes'] {
  return { ...labels };
}
