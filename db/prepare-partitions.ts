import { addPartitions } from './add-partitions.ts';
import type { Em } from './orm.ts';
import { dropStaleCheck, partitionFewEvents } from './partition-events.ts';
import { eventPartitions, notificationPartitions } from './partitioned-table.ts';

/** At the start of a process, in the transaction of the migrations: what rows of the next days need. */
export async function preparePartitions(em: Em, now: Date): Promise<void> {
  await dropStaleCheck(em, now);
  await partitionFewEvents(em, now);
  for (const table of [eventPartitions, notificationPartitions]) await addPartitions(em, table, now);
}
