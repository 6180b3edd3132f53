import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

export interface SlotRequest {
  projectId: string;
  emails: number;
  firstId: string;
}

export interface ReservedSlots {
  /** Send times of each project's granted emails, in milliseconds from now, ascending. */
  inMs: Map<string, number[]>;
  retryInMs: Map<string, number>;
  askingProjects: number;
}

const reservedRow = z.object({
  project: z.uuid(),
  inMs: z.number().nullable(),
  retryInMs: z.number().nullable(),
  asking: z.int(),
});

/**
 * Reserves send slots for transactional emails from the buckets of the projects and the account (database function
 * `reserve_email_slots`). Exact across processes.
 *
 * @param askingProjects the value returned last time; pass null about once a second to have it recounted
 */
export async function reserveEmailSlots(
  em: Em,
  requests: readonly SlotRequest[],
  rates: { account: number | null; project: number | null },
  askingProjects: number | null = null,
): Promise<ReservedSlots> {
  // Sorted, so that concurrent calls do not deadlock.
  const sorted = requests.toSorted((one, other) => (one.projectId < other.projectId ? -1 : 1));
  const sql = `select project, in_ms as "inMs", retry_in_ms as "retryInMs", asking_now as asking
     from reserve_email_slots($1, $2, $3, $4, $5, $6)`;
  const rows = await query(em, reservedRow, sql, [
    sorted.map(({ projectId }) => projectId),
    sorted.map(({ emails }) => emails),
    sorted.map(({ firstId }) => firstId),
    rates.account,
    rates.project,
    askingProjects,
  ]);
  const slots: ReservedSlots = {
    inMs: new Map(),
    retryInMs: new Map(),
    askingProjects: rows[0]?.asking ?? 1,
  };
  for (const { project, inMs, retryInMs } of rows) {
    if (inMs === null) slots.retryInMs.set(project, retryInMs ?? 0);
    else {
      const times = slots.inMs.get(project);
      if (times === undefined) slots.inMs.set(project, [inMs]);
      else times.push(inMs);
    }
  }
  return slots;
}
