/**
 * Converts Prometheus metrics to OpenTelemetry metrics under the same names, so that one table serves both. The SDK
 * accepts them as they are from a MetricProducer; its own instruments would count everything a second time, and it has
 * no observable histogram.
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

/** A histogram has a value for each upper bound (label `le`), and two more whose names end with `_sum` and `_count`. */
type Value = MetricReading['values'][number] & { metricName?: string };

/** @param resource not used by the SDK, which has its own */
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

/** Converts one metric; empty for a metric without values. */
function toMetricData(reading: MetricReading, startTime: HrTime, endTime: HrTime): MetricData[] {
  const { name, help: description, values } = reading;
  // prom-client uses strings; its types declare a numeric enum.
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

/** The unit, taken from the Prometheus name (UCUM, as OpenTelemetry writes units). */
function unitOf(name: string): string {
  if (name.endsWith('_seconds')) return 's';
  if (name.endsWith('_bytes_total')) return 'By';
  return name.endsWith('_ratio') ? '1' : '';
}

type HistogramPoint = Omit<HistogramMetricData['dataPoints'][number], 'startTime' | 'endTime'>;

/**
 * Returns one histogram for each set of labels: Prometheus counts all values up to a bound, OpenTelemetry those between
 * two bounds.
 */
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
