import { instantOfId, lowestIdAt } from '../core/id-at.ts';

/** A table partitioned by time, with a partition `<name>_default` for rows that fit no other. */
export interface PartitionedTable {
  name: string;
  key: string;
  step: 'day' | 'month';
  /** Number of partitions created ahead of time. */
  ahead: number;
  behind: number;
  keyAt(instant: Date): string;
  instantOf(key: string): Date;
}

/**
 * Partitioned by id, because ids ascend with time: the primary key is unique across partitions, and a look-up by id
 * reads only one of them.
 */
export const eventPartitions: PartitionedTable = {
  name: 'events',
  key: 'id',
  step: 'month',
  ahead: 3,
  behind: 0,
  keyAt: lowestIdAt,
  instantOf: instantOfId,
};

/** Days behind: notifications may be 14 days old when they arrive (`providers/sns/verifier.ts`). */
export const notificationPartitions: PartitionedTable = {
  name: 'handled_notifications',
  key: 'published_on',
  step: 'day',
  ahead: 7,
  behind: 15,
  keyAt: (instant) => instant.toISOString().slice(0, 10),
  instantOf: (day) => new Date(`${day}T00:00:00Z`),
};

export const defaultOf = ({ name }: PartitionedTable) => `${name}_default`;

/** The beginning (UTC) of the step that contains an instant, or of the step `later` steps after it. */
export function stepAt({ step }: Pick<PartitionedTable, 'step'>, instant: Date, later = 0): Date {
  const [year, month, day] = [instant.getUTCFullYear(), instant.getUTCMonth(), instant.getUTCDate()];
  return new Date(step === 'month' ? Date.UTC(year, month + later) : Date.UTC(year, month, day + later));
}

export function partitionName({ name, step }: PartitionedTable, start: Date): string {
  const suffix = start.toISOString().slice(0, step === 'month' ? 7 : 10);
  return `${name}_${suffix.replaceAll('-', '_')}`;
}
