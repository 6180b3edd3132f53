import type { ClickHouse } from '../analytics/clickhouse.ts';
import { ClickHouseRefused } from '../analytics/client/errors.ts';
import { eventColumns, eventLine, eventTable, withoutEventData } from '../analytics/tables/event.ts';
import { nilId } from '../core/nil-id.ts';

export interface RefusedRow {
  eventId: string;
  /** `data dropped`: stored with empty data. `skipped`: not stored. */
  outcome: 'data dropped' | 'skipped';
  error: ClickHouseRefused;
}

/**
 * Inserts the lines of a batch. When ClickHouse refuses it, the batch is halved until each refused row is isolated;
 * such a row is stored with empty data, or skipped if that is refused too. No row blocks the others. Before one is
 * skipped, a probe row known to be valid shows whether the refused row is the cause.
 *
 * @returns the rows not stored unchanged, usually none
 * @throws ClickHouseUnavailable, and ClickHouseRefused when any row would be refused. Some rows may be stored by then;
 * retry the whole batch.
 */
export async function insertBatch(clickhouse: ClickHouse, lines: string): Promise<RefusedRow[]> {
  const batch: Batch = { clickhouse, refused: [] };
  const error = await tryInsert(batch, lines);
  if (error !== undefined) await insertHalves(batch, lines.split('\n'), error);
  return batch.refused;
}

interface Batch {
  readonly clickhouse: ClickHouse;
  readonly refused: RefusedRow[];
}

async function insertHalves(batch: Batch, lines: string[], error: ClickHouseRefused): Promise<void> {
  const [line] = lines;
  if (line !== undefined && lines.length === 1) {
    const isSkipped = (await tryInsert(batch, withoutEventData(line))) !== undefined;
    if (isSkipped && (await tryInsert(batch, probeLine())) !== undefined) throw error;
    batch.refused.push({ eventId: eventIdOf(line), outcome: isSkipped ? 'skipped' : 'data dropped', error });
    return;
  }
  const middle = Math.ceil(lines.length / 2);
  for (const half of [lines.slice(0, middle), lines.slice(middle)]) {
    const refusal = await tryInsert(batch, half.join('\n'));
    if (refusal !== undefined) await insertHalves(batch, half, refusal);
  }
}

async function tryInsert(batch: Batch, lines: string): Promise<ClickHouseRefused | undefined> {
  try {
    await batch.clickhouse.insert(eventTable, lines);
    return undefined;
  } catch (error) {
    if (error instanceof ClickHouseRefused) return error;
    throw error;
  }
}

/** A valid row of no project, so that nobody sees it. */
function probeLine(): string {
  const none = { contactId: null, emailId: null, campaignId: null, workflowId: null };
  const row = { ...none, projectId: nilId, eventId: nilId, occurredAt: new Date(), activityType: '' };
  return eventLine({ ...row, name: 'probe', kind: 'activity' }, '{}');
}

const eventIdColumn = eventColumns.indexOf('event_id');

function eventIdOf(line: string): string {
  return line.split('\t', eventIdColumn + 1).at(-1) ?? '';
}
