import type { operations } from '../../api/schema.d.ts';

export type Bucket =
  operations['getAnalyticsTimeseries']['responses'][200]['content']['application/json']['data'][number];

export const metrics = [
  { key: 'sent', label: 'Sent' },
  { key: 'delivered', label: 'Delivered' },
  { key: 'opened', label: 'Opened' },
  { key: 'clicked', label: 'Clicked' },
  { key: 'bounced', label: 'Hard bounces' },
  { key: 'complained', label: 'Reported as spam' },
  { key: 'unsubscribed', label: 'Unsubscribed' },
] as const satisfies { key: keyof Bucket; label: string }[];

export type Metric = (typeof metrics)[number]['key'];

export const sumOf = (buckets: readonly Bucket[], metric: Metric): number =>
  buckets.reduce((sum, bucket) => sum + bucket[metric], 0);

/** Pairs each bucket with that of the previous period, at the date of the current one. */
export function comparedPoints(now: readonly Bucket[], before: readonly Bucket[], metric: Metric) {
  return now.map((bucket, index) => ({
    date: bucket.date,
    now: bucket[metric],
    before: before[index]?.[metric] ?? 0,
  }));
}

const change = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});

/** "+12.5%", or words where the previous value is 0. */
export function changeText(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'No change' : 'None before';
  return now === before ? 'No change' : change.format(now / before - 1);
}
