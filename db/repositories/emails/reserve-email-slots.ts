import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** Emails of one project that are to leave. */
export interface SlotRequest {
  projectId: string;
  emails: number;
  /** The id of the oldest of them. */
  firstId: string;
}

export interface ReservedSlots {
  /** Of each project that got some: when each of its emails may leave, in milliseconds from now, ascending. */
  inMs: Map<string, number[]>;
  /** Of each project that got fewer than it asked for: when asking again is worth it. */
  retryInMs: Map<string, number>;
  /** Projects that share the account now. */
  askingProjects: number;
}

/**
 * Takes permits for transactional emails from the buckets of their projects and of the account, as the function
 * `reserve_email_slots` of the database says. Exact over all processes.
 *
 * @param askingProjects as answered before, to be left out about once a second: they are counted then
 */
export async function reserveEmailSlots(
  em: Em,
  requests: readonly SlotRequest[],
  rates: { account: number | null; project: number | null },
  askingProjects: number | null = null,
): Promise<ReservedSlots> {
  // In one order, so that two of these never wait for each other's rows.
  const sorted = requests.toSorted((one, other) => (one.projectId < other.projectId ? -1 : 1));
  const rows = await sql<{
    project: string;
    inMs: number | null;
    retryInMs: number | null;
    asking: number;
  }>(
    em,
    `select project, in_ms as "inMs", retry_in_ms as "retryInMs", asking_now as asking
     from reserve_email_slots($1, $2, $3, $4, $5, $6)`,
    [
      sorted.map(({ projectId }) => projectId),
      sorted.map(({ emails }) => emails),
      sorted.map(({ firstId }) => firstId),
      rates.account,
      rates.project,
      askingProjects,
    ],
  );
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
